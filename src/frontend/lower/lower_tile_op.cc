// Operations on tiles by family: layout, matmul, elementwise and reduce, sort.
#include <fmt/format.h>

#include <cmath>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

// ---- layout ------------------------------------------------------------------------------------

Value Lowering::layout_op(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  if (kind == OpKind::Concat) {
    op.args = {args.tensor("a"), args.tensor("b")};
    return emit(std::move(op), {}, target, args.at());
  }
  op.args = {args.tensor("x")};
  const ir::Var& x = program_[op.args[0]];
  ir::ArrayType type{x.dtype, x.shape};
  if (kind == OpKind::Reshape) type.shape = args.shape("shape");
  if (kind == OpKind::Transpose && args.has("axis1")) {
    const int64_t a = args.constant("axis1");
    const int64_t b = args.constant("axis2");
    const bool swap =
        (a == 0 && b == 1) || (a == 1 && b == 0) || (a == -1 && b == -2) || (a == -2 && b == -1);
    if (!swap || x.shape.size() != 2)
      unsupported(args.at(), "a transpose of other dimensions than the two of a 2-D tile",
                  "reshape to two dimensions first");
  }
  if (kind == OpKind::FillPad) op.pad = pad_of(args.value("pad_value"), args.at("pad_value"));
  if (kind == OpKind::SetValid) {
    const Value first = args.value("d0");
    if (first.as<List>()) {
      op.valid = args.integers("d0");
    } else {
      for (const char* d : {"d0", "d1", "d2", "d3", "d4", "d5"})
        if (args.has(d)) op.valid.push_back(args.integer(d));
    }
  }
  return emit(std::move(op), type, target, args.at());
}

// Of a tensor an operation; of an integer its value, since integers have one width here.
Value Lowering::cast(const Expr& e, std::string_view target) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), word_signature("cast"));
  const Value x = args.value("x");
  if (x.as<ir::Expr>() || x.as<bool>() || x.as<double>() || x.as<FloatScalar>())
    return cast_scalar(x, args.dtype("target_type"), args.at());
  if (const auto* condition = x.as<ir::Cond>())
    return cast_scalar(zero_or_one(*condition, args.at()), args.dtype("target_type"), args.at());
  Op op;
  op.kind = OpKind::Cast;
  op.args = {args.tensor("x")};
  if (args.has("mode")) op.cast_mode = cast_mode(args);
  const Shape shape = program_[op.args[0]].shape;  // before op is gone
  return emit(std::move(op), {args.dtype("target_type"), shape}, target, args.at());
}

ir::CastMode Lowering::cast_mode(Arguments& args) {
  const Value v = args.value("mode");
  const auto* s = v.as<std::string>();
  if (!s) args.wrong("mode", v, "a string such as \"rint\"");
  if (*s == "none") return ir::CastMode::Rint;
  if (const auto mode = ir::parse_cast_mode(*s)) return *mode;
  unsupported(args.at("mode"), fmt::format("cast mode \"{}\"", *s),
              "modes are rint, round, floor, ceil, trunc and none");
}

// pl.PadValue.min, or the number itself as later files write it.
ir::Pad Lowering::pad_of(const Value& v, At at) const {
  if (const auto* w = v.as<Word>(); w && w->path.starts_with("PadValue."))
    if (const auto pad = ir::parse_pad(w->path.substr(9))) return *pad;
  if (v.integer() == 0) return ir::Pad::Zero;
  if (const auto* d = v.as<double>()) {
    if (*d == 0) return ir::Pad::Zero;
    if (*d == HUGE_VAL) return ir::Pad::Max;
    if (*d == -HUGE_VAL) return ir::Pad::Min;
  }
  fail(at, "pad", fmt::format("a pad value is {}", kind_text(v)),
       "fillpad writes zero, max or min outside the valid region",
       "use pl.PadValue.zero, max or min");
}

// ---- matmul ------------------------------------------------------------------------------------

// The accumulator behind the operands: its type gives it away, and would be told as two mistakes.
void Lowering::require_accumulator_first(const Op& op, Arguments& args) {
  const auto is_accumulator = [&](ir::VarId v) {
    return program_[v].dtype == ir::accumulator_dtype(program_[op.dst].dtype);
  };
  const ir::VarId last = op.args[1];
  if (is_accumulator(op.dst) || !is_accumulator(last)) return;
  const auto text = [&](ir::VarId v) {
    return fmt::format("{} {}", program_[v].written_name(), ir::type_text(program_[v]));
  };
  fail(args.at(), "argument",
       fmt::format("matmul_acc adds to its first argument, {}, a product with {}", text(op.dst),
                   text(last)),
       "the arguments of matmul_acc are the accumulator, then the left and the right operand",
       fmt::format("write pl.matmul_acc({}, {}, {})", program_[last].written_name(),
                   program_[op.dst].written_name(), program_[op.args[0]].written_name()));
}

Value Lowering::matmul_op(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  op.a_trans = args.flag("a_trans");
  op.b_trans = args.flag("b_trans");
  op.args = {args.tensor("a"), args.tensor("b")};
  multiply_as_stored(op);
  if (kind == OpKind::MatmulAcc) {
    op.dst = args.tensor("acc");
    require_accumulator_first(op, args);
    return emit_in_place(std::move(op), args.at());
  }
  if (kind == OpKind::MatmulBias) op.args.push_back(args.tensor("bias"));
  // Without out_dtype the original types the result like its operands, but devices deliver FP32.
  const DType dtype = args.has("out_dtype") ? args.dtype("out_dtype")
                                            : ir::accumulator_dtype(program_[op.args[0]].dtype);
  return emit(std::move(op), {dtype, {}}, target, args.at());
}

// ---- elementwise and reduce --------------------------------------------------------------------

Value Lowering::plain_op(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  if (args.has("x") || !args.has("a")) {
    op.args = {args.tensor("x")};  // a scratch tile beside it is the compiler's business
    op.high_precision = args.flag("high_precision");
    const ir::Var& x = program_[op.args[0]];
    return emit(std::move(op), {x.dtype, x.shape}, target, args.at());
  }
  Value a = args.value("a");
  Value b = args.value("b");
  const bool commutes = kind == OpKind::Add || kind == OpKind::Mul || kind == OpKind::Maximum ||
                        kind == OpKind::Minimum;
  if (!a.as<Tensor>() && b.as<Tensor>() && commutes) std::swap(a, b);
  if (!a.as<Tensor>() && !b.as<Tensor>())
    if (auto number = number_op(kind, a, b, args.at())) return *number;
  if (!a.as<Tensor>()) args.wrong("a", a, "a tensor or tile");
  op.args = {a.as<Tensor>()->var};
  const ir::Var& x = program_[op.args[0]];
  if (const auto* t = b.as<Tensor>())
    op.args.push_back(t->var);
  else
    op.scalar = scalar_operand(b);
  if (op.args.size() == 1 && !op.scalar) args.wrong("b", b, "a tensor, a tile or a number");
  const bool expands = ir::op_name(kind).find("expand") != std::string_view::npos;
  if (expands && op.scalar) args.wrong("b", b, "a tensor or tile");
  if (kind == OpKind::Cmp) {
    const int64_t how = args.constant("cmp_type");
    if (how < 0 || how > 5)
      fail(args.at("cmp_type"), "argument", fmt::format("cmp_type {}", how),
           "cmp_type is 0 eq, 1 ne, 2 lt, 3 le, 4 gt or 5 ge", "use one of them");
    op.compare = static_cast<ir::Compare>(how);
  }
  if (!in_.names_are_buffers && kind == OpKind::Mul && op.scalar &&
      op.scalar->kind == ir::ScalarOperand::Kind::Literal && op.scalar->literal == 0 &&
      untouched_.contains(op.args[0]))
    return clear(op.args[0], target, args.at());
  return emit(std::move(op), {kind == OpKind::Cmp ? DType::Bool : x.dtype, x.shape}, target,
              args.at());
}

// pl.mul(s, 0.5) of numbers is arithmetic.
std::optional<Value> Lowering::number_op(OpKind kind, const Value& a, const Value& b, At at) {
  constexpr std::pair<OpKind, std::string_view> kOperators[] = {
      {OpKind::Add, "+"}, {OpKind::Sub, "-"},       {OpKind::Mul, "*"},
      {OpKind::Div, "/"}, {OpKind::Maximum, "max"}, {OpKind::Minimum, "min"}};
  for (const auto& [op, text] : kOperators)
    if (op == kind) return scalar_arithmetic(text, a, b, at);
  return std::nullopt;
}

// t = pl.mul(t, 0.0) right after its creation: the author means zeros, not undefined times zero.
Value Lowering::clear(ir::VarId array, std::string_view target, At at) {
  Op op;
  op.kind = in_scope() ? OpKind::Full : OpKind::Create;  // the orchestrator makes it filled
  op.scalar = ir::ScalarOperand{};
  const ir::Var& x = program_[array];
  return emit(std::move(op), {x.dtype, x.shape}, target, at);
}

// ---- sort --------------------------------------------------------------------------------------

Value Lowering::sort_op(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  if (kind == OpKind::Arange) {
    op.scalar =
        ir::ScalarOperand{ir::ScalarOperand::Kind::Index, 0, true, {}, args.integer("start")};
    return emit(std::move(op), {args.dtype("dtype"), args.shape("shape")}, target, args.at());
  }
  if (kind == OpKind::Gather && args.has("tmp")) return gather_flat(args, target);
  if (kind == OpKind::Gather) return gather(args, target);
  if (kind == OpKind::MergeSort && args.has("c")) return merge_lists(args, target);
  if (kind == OpKind::ScatterMask) return scatter_mask(args, target);
  op.args = {args.tensor("a")};
  if (kind == OpKind::Sort32 || args.has("b")) op.args.push_back(args.tensor("b"));
  if (kind == OpKind::MergeSort && op.args.size() == 1)
    op.block_length = args.constant("block_len");
  const ir::Var& a = program_[op.args[0]];
  return emit(std::move(op), {a.dtype, a.shape}, target, args.at());
}

ir::MaskPattern Lowering::mask_pattern(Arguments& args) {
  const Value mask = args.value("mask_pattern");
  const auto* w = mask.as<Word>();
  if (w && w->path.ends_with("MaskPattern.P0101")) return ir::MaskPattern::P0101;
  if (w && w->path.ends_with("MaskPattern.P1010")) return ir::MaskPattern::P1010;
  args.wrong("mask_pattern", mask, "pl.tile.MaskPattern.P0101 or P1010");
}

Value Lowering::scatter_mask(Arguments& args, std::string_view target) {
  Op op;
  op.kind = OpKind::ScatterMask;
  op.mask = mask_pattern(args);
  op.args = {args.tensor("x"), args.tensor("dst")};
  const ir::Var& into = program_[op.args[1]];
  return emit(std::move(op), {into.dtype, into.shape}, target, args.at());
}

Value Lowering::gather(Arguments& args, std::string_view target) {
  Op op;
  op.args = {args.tensor("x")};
  const DType dtype = program_[op.args[0]].dtype;
  if (args.has("mask_pattern")) {
    op.kind = OpKind::GatherMask;
    op.mask = mask_pattern(args);
    return emit(std::move(op), {args.has("output_dtype") ? args.dtype("output_dtype") : dtype, {}},
                target, args.at());
  }
  op.kind = OpKind::Gather;
  if (args.has("dim") && args.constant("dim") != -1)
    unsupported(args.at("dim"), "a gather along a dimension other than the last",
                "transpose first");
  op.args.push_back(args.tensor("index"));
  return emit(std::move(op), {dtype, {}}, target, args.at());
}

}  // namespace tilewright::frontend
