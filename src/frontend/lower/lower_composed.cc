// Words of the dialect that stand for several operations of the language, or for none.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

// `word` is without its tile. or tensor.; empty when it is none of these.
std::optional<Value> Lowering::composed_call(const std::string& word, const Expr& e,
                                             std::string_view target) {
  if (word == "relu") return relu(e, target);
  if (word == "row_expand_expdif") return exp_of_difference(OpKind::RowExpandSub, e, target);
  if (word == "col_expand_expdif") return exp_of_difference(OpKind::ColExpandSub, e, target);
  if (word == "create_l1") return create_l1(e, target);
  if (word == "gather_row") return gather_row(e);
  if (word == "aiv_shard") return aiv_shard(e, target);
  if (word == "transpose_view") return transpose_view(e);
  if (word.starts_with("prefetch.")) {
    // What is fetched early is the same data: only the time of a device differs.
    if (noted_.insert("prefetch").second)
      report(e.at, "prefetch", fmt::format("pl.{} has no effect", word),
             "a prefetch changes when data arrives, not what a program computes",
             "no action needed", Severity::Note);
    return Value{None{}};
  }
  return std::nullopt;
}

// max(x, 0), which keeps a NaN.
Value Lowering::relu(const Expr& e, std::string_view target) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"x"});
  Op op;
  op.kind = OpKind::Maximum;
  op.args = {args.tensor("x")};
  op.scalar = ir::ScalarOperand{};
  const ir::Var& x = program_[op.args[0]];
  return emit(std::move(op), {x.dtype, x.shape}, target, args.at(), "relu");
}

// exp(x - v), v one number per row or column.
Value Lowering::exp_of_difference(OpKind subtract, const Expr& e, std::string_view target) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"x", "v"});
  Op difference;
  difference.kind = subtract;
  difference.args = {args.tensor("x"), args.tensor("v")};
  const ir::Var& x = program_[difference.args[0]];
  const Value made = emit(std::move(difference), {x.dtype, x.shape}, {}, args.at());
  Op power;
  power.kind = OpKind::Exp;
  power.args = {made.as<Tensor>()->var};
  const ir::Var& d = program_[power.args[0]];
  return emit(std::move(power), {d.dtype, d.shape}, target, args.at());
}

// A tile in the memory that feeds the cube.
Value Lowering::create_l1(const Expr& e, std::string_view target) {
  // The layout that `transpose` asks for is the compiler's business.
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"shape", "dtype", "transpose"});
  Op op;
  op.kind = OpKind::Create;
  op.space = MemorySpace::Mat;
  return emit(std::move(op), {args.dtype("dtype"), args.shape("shape")}, target, args.at());
}

ir::VarId Lowering::reshaped(ir::VarId x, const Shape& shape, At at) {
  if (program_[x].shape == shape) return x;
  Op op;
  op.kind = OpKind::Reshape;
  op.args = {x};
  return emit(std::move(op), {program_[x].dtype, shape}, {}, at).as<Tensor>()->var;
}

// The first elements of a tile in every dimension.
ir::VarId Lowering::leading_part(ir::VarId tile, Shape shape, At at) {
  while (shape.size() > program_[tile].shape.size() && shape.front() == 1)
    shape.erase(shape.begin());  // said of what it is written into
  if (program_[tile].shape == shape) return tile;
  Op op;
  op.kind = OpKind::Slice;
  op.args = {tile};
  op.offset.assign(program_[tile].shape.size(), 0);
  return emit(std::move(op), {program_[tile].dtype, shape}, {}, at).as<Tensor>()->var;
}

// tile.gather(x, index, tmp): indices count through all elements of x.
Value Lowering::gather_flat(Arguments& args, std::string_view target) {
  const ir::VarId x = args.tensor("x");
  const ir::VarId index = args.tensor("index");
  const Shape shape = program_[index].shape;
  Op op;
  op.kind = OpKind::Gather;
  op.args = {reshaped(x, {1, element_count(program_[x].shape)}, args.at()),
             reshaped(index, {1, element_count(shape)}, args.at())};
  const DType dtype = program_[x].dtype;
  const Value flat = emit(std::move(op), {dtype, {}}, {}, args.at());
  Op back;
  back.kind = OpKind::Reshape;
  back.args = {flat.as<Tensor>()->var};
  return emit(std::move(back), {dtype, shape}, target, args.at());
}

// Three or four lists: two at a time. Equal values keep the order of the lists.
Value Lowering::merge_lists(Arguments& args, std::string_view target) {
  const auto merged = [&](ir::VarId a, ir::VarId b, std::string_view name) {
    Op op;
    op.kind = OpKind::MergeSort;
    op.args = {a, b};
    const ir::Var& x = program_[a];
    return emit(std::move(op), {x.dtype, x.shape}, name, args.at()).as<Tensor>()->var;
  };
  const ir::VarId first = merged(args.tensor("a"), args.tensor("b"), {});
  ir::VarId rest = args.tensor("c");
  if (args.has("d")) rest = merged(rest, args.tensor("d"), {});
  return {Tensor{merged(first, rest, target)}};
}

// A window of GM put into a window of a tile.
Value Lowering::gather_row(const Expr& e) {
  Arguments args(*this, e, dotted_path(*e.parts[0]),
                 {"dst", "src", "dst_offset", "src_offset", "shapes", "transpose"},
                 {"valid_shape"});
  Op window;
  window.kind = OpKind::Slice;
  window.args = {args.tensor("src")};
  window.offset = args.integers("src_offset");
  if (args.has("valid_shape")) window.valid = args.integers("valid_shape");
  Shape shape = args.shape("shapes");
  if (args.flag("transpose")) {  // the dialect gives the window in GM, the program the tile
    window.kind = OpKind::Load;
    window.transpose = true;
    window.space = MemorySpace::Mat;
    std::reverse(shape.begin(), shape.end());
    std::reverse(window.valid.begin(), window.valid.end());
  }
  const DType dtype = program_[window.args[0]].dtype;
  const Value rows = emit(std::move(window), {dtype, std::move(shape)}, {}, args.at(), "rows");
  Op insert;
  insert.kind = OpKind::Assemble;
  insert.dst = args.tensor("dst");
  insert.args = {rows.as<Tensor>()->var};
  insert.offset = args.integers("dst_offset");
  return emit_in_place(std::move(insert), args.at());
}

}  // namespace tilewright::frontend
