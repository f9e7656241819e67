// Operations that move data: create, slice, load, assemble, store, and subscripts.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

Value Lowering::memory_op(OpKind kind, Arguments& args, std::string_view target) {
  if (kind == OpKind::Create) return create(args, target);
  if (kind == OpKind::Slice || kind == OpKind::Load) return window(kind, args, target);
  if (kind == OpKind::Assemble || kind == OpKind::Store) return update(kind, args);
  Op op;
  op.kind = kind;
  if (kind == OpKind::Full) {
    const Value value = args.value("value");
    op.scalar = scalar_operand(value);
    if (!op.scalar) args.wrong("value", value, "a number");
    return emit(std::move(op), {args.dtype("dtype"), args.shape("shape")}, target, args.at());
  }
  check(kind == OpKind::Move || kind == OpKind::Copy, "an op of family memory");
  op.args = {args.tensor("x")};
  op.space = args.space("target_memory");
  if (is_transpose_view(op.args[0])) return move_transposed(std::move(op), target, args.at());
  const ir::Var& x = program_[op.args[0]];
  return emit(std::move(op), {x.dtype, x.shape}, target, args.at());
}

Value Lowering::create(Arguments& args, std::string_view target) {
  Op op;
  op.kind = OpKind::Create;
  const bool tile = args.word().ends_with("tile") || args.word().ends_with("tile.create");
  if (tile)
    op.space = args.has("target_memory") ? args.space("target_memory") : MemorySpace::Vec;
  else if (args.has("target_memory"))
    args.wrong("target_memory", args.value("target_memory"), "for pl.create_tile");
  if (args.has("init_value")) {
    if (in_scope()) op.kind = OpKind::Full;
    op.scalar = scalar_operand(args.value("init_value"));
    if (!op.scalar) args.wrong("init_value", args.value("init_value"), "a number");
  }
  if (args.has("layout") && !args.value("layout").is_word("Layout.ND") &&
      !args.value("layout").is_word("TensorLayout.ND"))
    unsupported(args.at("layout"), "a tensor created in a layout other than ND",
                "remove the layout");
  const bool untracked = args.flag("manual_dep");
  std::vector<ir::Expr> valid;
  if (args.has("valid_shape")) valid = args.integers("valid_shape");
  Value made =
      emit(std::move(op), {args.dtype("dtype"), args.largest_shape("shape")}, target, args.at());
  if (const auto* t = made.as<Tensor>(); t && !valid.empty() && !in_scope()) valid_[t->var] = valid;
  if (const auto* t = made.as<Tensor>(); t && untracked) program_[t->var].untracked = true;
  if (const auto* t = made.as<Tensor>(); t && is_marked_window(args.at()))
    program_[t->var].window = true;
  return made;
}

Value Lowering::window(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  op.args = {args.tensor("x")};
  op.offset = args.integers("offset");
  Shape shape = args.largest_shape("shape", &op.valid);
  for (const char* valid : {"valid_shape", "valid_shapes"})
    if (args.has(valid)) op.valid = args.integers(valid);
  if (kind == OpKind::Slice) {
    if (args.has("pad_value")) op.pad = pad_of(args.value("pad_value"), args.at("pad_value"));
  } else {
    op.space = args.has("target_memory") ? args.space("target_memory") : MemorySpace::Vec;
    op.transpose = args.flag("transpose");
    if (op.transpose) {  // the dialect gives the window in GM, the program the tile
      std::reverse(shape.begin(), shape.end());
      std::reverse(op.valid.begin(), op.valid.end());
    }
  }
  const DType dtype = program_[op.args[0]].dtype;  // before op is gone
  return emit(std::move(op), {dtype, std::move(shape)}, target, args.at());
}

// A value with leading dimensions of 1 that what it is written into does not have.
ir::VarId Lowering::lowered_rank(ir::VarId value, std::size_t rank, At at) {
  const Shape& shape = program_[value].shape;
  if (shape.size() <= rank) return value;
  const auto extra = static_cast<std::ptrdiff_t>(shape.size() - rank);
  if (std::any_of(shape.begin(), shape.begin() + extra, [](int64_t d) { return d != 1; }))
    return value;
  Op op;
  op.kind = OpKind::Reshape;
  op.args = {value};
  const ir::ArrayType type{program_[value].dtype, Shape(shape.begin() + extra, shape.end())};
  return emit(std::move(op), type, {}, at).as<Tensor>()->var;
}

Value Lowering::update(OpKind kind, Arguments& args) {
  Op op;
  op.kind = kind;
  op.dst = args.tensor("dst");
  op.args = {args.tensor(kind == OpKind::Assemble ? "src" : "tile")};
  if (args.has("shapes")) op.args[0] = leading_part(op.args[0], args.shape("shapes"), args.at());
  op.args[0] = lowered_rank(op.args[0], program_[op.dst].shape.size(), args.at());
  op.offset = args.integers("offset");
  if (args.has("atomic")) {
    const Value how = args.value("atomic");
    if (!how.is_word("AtomicType.Add")) args.wrong("atomic", how, "pl.AtomicType.Add");
    op.atomic_add = true;
  }
  return emit_in_place(std::move(op), args.at());
}

// ---- subscripts --------------------------------------------------------------------------------

Lowering::Window Lowering::window_of(const Expr& e, const ir::Var& array) {
  const std::size_t given = e.parts.size() - 1;
  if (given > array.shape.size())
    fail(e.at, "rank",
         fmt::format("{} into {} {}", counted(static_cast<int64_t>(given), "subscript"),
                     array.written_name(), ir::type_text(array)),
         "a subscript has at most one entry per dimension", "remove the last one");
  Window w;
  bool varies = false;
  std::vector<ir::Expr> extents;
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    const int64_t size = array.shape[d];
    const Expr* part = d < given ? e.parts[d + 1] : nullptr;
    const bool is_slice = !part || part->kind == ExprKind::Slice;
    if (part && is_slice && part->parts[2])
      unsupported(part->at, "a slice with a step", "take every element, or use a loop");
    const auto end = [&](std::size_t i, int64_t otherwise) {
      const Expr* bound = part ? part->parts[i] : nullptr;
      return bound ? integer_of(value_of(*bound), bound->at, "a subscript") : ir::Expr(otherwise);
    };
    const ir::Expr low =
        is_slice ? end(0, 0) : integer_of(value_of(*part), part->at, "a subscript");
    const ir::Expr extent = is_slice ? end(1, size) - low : ir::Expr(1);
    const At at = part ? part->at : e.at;
    if (low.is_constant() && low.constant() < 0)
      unsupported(at, "a negative subscript", "count from the start");
    const auto size_here = extent.is_constant() ? std::optional(extent.constant()) : most(extent);
    if (!size_here)
      fail(at, "constant",
           fmt::format("the extent of dimension {} is only known when the program runs", d),
           "a window needs a constant shape, or one bounded by loops; its offset may vary",
           "write x[a:a + N] with a constant N; valid_shape may vary");
    varies = varies || !extent.is_constant();
    extents.push_back(extent);
    w.offset.push_back(low);
    w.extent.push_back(extent.is_constant() ? *size_here : std::min(*size_here, size));
    w.bare.push_back(!is_slice);
    w.all_bare = w.all_bare && !is_slice;
  }
  if (varies) w.valid = std::move(extents);
  return w;
}

// A part of a list, a dictionary or another value of compile time.
Value Lowering::list_item(const Value& base, const Expr& e) {
  const auto* list = base.as<List>();
  if (list && e.parts.size() == 2 && e.parts[1]->kind != ExprKind::Slice) {
    const int64_t i = constant_of(value_of(*e.parts[1]), e.parts[1]->at, "an index");
    const auto size = static_cast<int64_t>(list->items().size());
    if (i < -size || i >= size)
      fail(e.at, "constant", fmt::format("the index is out of range for a list of {}", size),
           "an index must be in range", "check the index");
    return list->items()[static_cast<std::size_t>(i < 0 ? i + size : i)];
  }
  if (list || base.as<Dict>() || base.as<std::string>() || base.as<Object>())
    return interpreter().item(base, e);
  tensor_of(base, e.at, "what is subscripted");
  return base;
}

// x[a:b, c:d] is a slice. An index without a colon drops its dimension, in a scope as long as two
// are left; x[i, j] with an index for every dimension reads one element.
Value Lowering::subscript(const Expr& e, std::string_view target) {
  const Value base = value_of(*e.parts[0]);
  if (const auto* tasks = base.as<TaskHandle>()) return task_entry(*tasks, e);
  if (!base.as<Tensor>()) {
    const Value part = list_item(base, e);
    return require_known(part, "a part of a value", e.at);
  }
  if (in_host())
    if (auto part = part_of_rank(base, e, target)) return *part;
  const ir::VarId array = tensor_of(base, e.at, "what is subscripted");
  Window w = window_of(e, program_[array]);
  if (w.all_bare) return read_element(array, std::move(w.offset), target, e.at);
  Shape kept;
  std::size_t left = w.extent.size();
  const std::size_t least = in_scope() ? 2 : 1;
  bool reshape = false;  // a slice itself can only drop leading dimensions
  for (std::size_t d = 0; d < w.extent.size(); ++d) {
    if (w.bare[d] && left > least) {
      --left;
      reshape = reshape || !kept.empty();
    } else {
      kept.push_back(w.extent[d]);
    }
  }
  Op op;
  op.kind = OpKind::Slice;
  op.args = {array};
  op.offset = w.offset;
  const DType dtype = program_[array].dtype;
  if (!w.valid.empty())
    op.valid.assign(w.valid.end() - static_cast<std::ptrdiff_t>(reshape ? w.extent.size() : kept.size()),
                    w.valid.end());
  if (!reshape) return emit(std::move(op), {dtype, kept}, target, e.at);
  const Value whole = emit(std::move(op), {dtype, w.extent}, {}, e.at);
  Op flat;
  flat.kind = OpKind::Reshape;
  flat.args = {whole.as<Tensor>()->var};
  return emit(std::move(flat), {dtype, kept}, target, e.at);
}

// x[a:b, c:d] = v writes the window; x stays under its name.
void Lowering::assign_window(const Expr& target, Value value) {
  const Value base = value_of(*target.parts[0]);
  if (const auto* tasks = base.as<TaskHandle>()) return assign_task_entry(*tasks, target, value);
  const ir::VarId array = tensor_of(base, target.at, "what is subscripted");
  const Window w = window_of(target, program_[array]);
  if (const auto number = scalar_operand(value); number && w.all_bare) {
    store_element(array, w.offset, *number, target.at);
    return;
  }
  Op op;
  op.kind = OpKind::Assemble;
  op.shared = !in_.names_are_buffers;
  op.dst = array;
  op.args = {lowered_rank(tensor_of(value, target.at, "the value of a window"),
                          program_[array].shape.size(), target.at)};
  op.offset = w.offset;
  // The valid part of the value is what is written.
  const Shape& source = program_[op.args[0]].shape;
  const auto given = valid_.find(op.args[0]);
  const std::size_t rank = w.extent.size();
  const std::size_t missing = rank - std::min(rank, source.size());
  for (std::size_t d = 0; d < rank; ++d) {
    const bool own = d >= missing;
    const ir::Expr wanted = w.valid.empty() ? ir::Expr(w.extent[d]) : w.valid[d];
    const ir::Expr size = !own ? ir::Expr(1) : ir::Expr(source[d - missing]);
    const bool is_valid = own && given != valid_.end() && d - missing < given->second.size();
    const ir::Expr part = is_valid ? given->second[d - missing] : size;
    const bool known = wanted.is_constant() && part.is_constant();
    if (size == wanted || part == wanted || !known) continue;
    fail(target.at, "assign",
         fmt::format("a window of {} is assigned {}", shape_text(w.extent), shape_text(source)),
         "a window and its value have the same shape", "slice or reshape the value");
  }
  emit_in_place(std::move(op), target.at);
}

}  // namespace tilewright::frontend
