// Operations: the arguments of each call become an ir::Op; its type rule is ir's own (infer.h).
#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/frontend/arguments.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

Value Lowering::emit(Op op, const ir::ArrayType& declared, std::string_view target, At at, std::string_view hint) {
  op.place = place(at);
  ir::ArrayType type = declared;
  const ir::TypeResult result = ir::infer(op, declared, program_);
  if (const auto* e = std::get_if<ir::TypeError>(&result)) {
    report(at, e->code, e->what, e->law, e->help);
    if (type.shape.empty() && !op.args.empty()) type.shape = program_[op.args[0]].shape;
    type = ir::usable(std::move(type));
  } else {
    type = std::get<ir::ArrayType>(result);
  }
  const std::size_t before = program_.vars.size();
  const std::string name(hint.empty() ? ir::op_name(op.kind) : hint);
  op.dst = target_var(target, name, type, at);
  const ir::VarId dst = op.dst;
  if (dst.index() < before) written_now_ = dst;
  const bool created = op.kind == OpKind::Create;
  append({std::move(op)});
  if (created) untouched_.insert(dst);
  else untouched_.erase(dst);
  return {Tensor{dst}};
}

Value Lowering::emit_in_place(Op op, At at) {
  op.place = place(at);
  const ir::TypeResult result = ir::infer(op, {}, program_);
  const ir::VarId dst = op.dst;
  untouched_.erase(dst);
  if (const auto* e = std::get_if<ir::TypeError>(&result)) {
    report(at, e->code, e->what, e->law, e->help);
  } else {
    append({std::move(op)});
  }
  written_now_ = dst;
  return {Tensor{dst}};
}

std::optional<ir::ScalarOperand> Lowering::scalar_operand(const Value& v) const {
  ir::ScalarOperand s;
  if (const auto* d = v.as<double>()) {
    s.literal = *d;
  } else if (const auto* b = v.as<bool>()) {
    s.literal = *b;
    s.integral = true;
  } else if (const auto i = v.integer()) {
    s.literal = static_cast<double>(*i);
    s.integral = true;
  } else if (const auto* e = v.as<ir::Expr>()) {
    s.kind = ir::ScalarOperand::Kind::Index;
    s.integral = true;
    s.index = *e;
  } else if (const auto* f = v.as<FloatScalar>()) {
    s.kind = ir::ScalarOperand::Kind::Variable;
    s.variable = f->var;
  } else {
    return std::nullopt;
  }
  return s;
}

namespace {

struct Signature {
  std::vector<std::string_view> positional, keywords;
};

Signature signature(OpKind kind, bool tile_load) {
  switch (kind) {
    case OpKind::Create: return {{"shape", "dtype", "target_memory"}, {"layout", "manual_dep", "init_value"}};
    case OpKind::Full: return {{"shape", "dtype", "value"}, {}};
    case OpKind::Slice: return {{"x", "shape", "offset", "valid_shape"}, {"pad_value"}};
    case OpKind::Load:
      if (tile_load) return {{"x", "offset", "shape", "valid_shape", "target_memory"}, {"valid_shapes", "transpose"}};
      return {{"x", "offset", "shape", "target_memory"}, {"valid_shapes", "valid_shape", "transpose"}};
    case OpKind::Assemble: return {{"dst", "src", "offset"}, {"atomic"}};
    case OpKind::Store: return {{"tile", "offset", "dst"}, {"atomic"}};
    case OpKind::Move: return {{"x", "target_memory"}, {}};
    case OpKind::Reshape: return {{"x", "shape"}, {}};
    case OpKind::Transpose: return {{"x", "axis1", "axis2"}, {}};
    case OpKind::FillPad: return {{"x", "pad_value"}, {}};
    case OpKind::SetValid: return {{"x", "d0", "d1", "d2", "d3", "d4", "d5"}, {}};
    case OpKind::Matmul:
    case OpKind::Gemv: return {{"a", "b", "out_dtype"}, {"a_trans", "b_trans"}};
    case OpKind::MatmulBias: return {{"a", "b", "bias", "out_dtype"}, {"a_trans", "b_trans"}};
    case OpKind::MatmulAcc: return {{"acc", "a", "b"}, {"a_trans", "b_trans"}};
    case OpKind::Concat:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::RowExpandAdd:
    case OpKind::RowExpandSub:
    case OpKind::RowExpandMul:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpandAdd:
    case OpKind::ColExpandSub:
    case OpKind::ColExpandMul:
    case OpKind::ColExpandDiv: return {{"a", "b"}, {}};
    case OpKind::Cmp: return {{"a", "b", "cmp_type"}, {}};
    case OpKind::Neg:
    case OpKind::Exp:
    case OpKind::Sqrt:
    case OpKind::Recip: return {{"x"}, {}};
    case OpKind::Rsqrt: return {{"x"}, {"high_precision"}};
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin:
    case OpKind::ColSum: return {{"x", "tmp"}, {}};
    case OpKind::Arange: return {{"start", "shape", "dtype"}, {}};
    case OpKind::Sort32: return {{"a", "b"}, {}};
    case OpKind::MergeSort: return {{"a", "b"}, {"block_len"}};
    case OpKind::Gather:
    case OpKind::GatherMask: return {{"x", "index"}, {"dim", "mask_pattern", "output_dtype"}};
    case OpKind::Cast:  // of its own, since it may be a scalar cast
    case OpKind::Copy: break;
  }
  return {};
}

}  // namespace

Value Lowering::op_call(OpKind kind, const Expr& e, std::string_view target) {
  const std::string word = dotted_path(*e.parts[0]);
  const Signature s = signature(kind, word == "pl.tile.load");
  Arguments args(*this, e, word, s.positional, s.keywords);
  switch (ir::op_family(kind)) {
    case ir::OpFamily::Memory: return memory_op(kind, args, target);
    case ir::OpFamily::Layout: return layout_op(kind, args, target);
    case ir::OpFamily::Matmul: return matmul_op(kind, args, target);
    case ir::OpFamily::Elementwise:
    case ir::OpFamily::Reduce: return plain_op(kind, args, target);
    case ir::OpFamily::Sort: return sort_op(kind, args, target);
  }
  bug("op_call: family");
}

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
    const bool swap = (a == 0 && b == 1) || (a == 1 && b == 0) || (a == -1 && b == -2) || (a == -2 && b == -1);
    if (!swap || x.shape.size() != 2)
      unsupported(args.at(), "a transpose of other dimensions than the two of a tile", "reshape to two dimensions first");
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

// Of a tensor an operation; of a scalar its value, since integers have one width here.
Value Lowering::cast(const Expr& e, std::string_view target) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"x", "target_type", "mode"});
  const Value x = args.value("x");
  if (x.as<ir::Expr>() || x.as<bool>() || x.as<double>()) return x;
  Op op;
  op.kind = OpKind::Cast;
  op.args = {args.tensor("x")};
  if (args.has("mode")) op.cast_mode = cast_mode(args);
  return emit(std::move(op), {args.dtype("target_type"), program_[op.args[0]].shape}, target, args.at());
}

ir::CastMode Lowering::cast_mode(Arguments& args) {
  const Value v = args.value("mode");
  const auto* s = v.as<std::string>();
  if (!s) args.wrong("mode", v, "a string such as \"rint\"");
  if (*s == "none") return ir::CastMode::Rint;
  if (const auto mode = ir::parse_cast_mode(*s)) return *mode;
  unsupported(args.at("mode"), fmt::format("cast mode \"{}\"", *s), "modes are rint, round, floor, ceil, trunc and none");
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
       "fillpad writes zero, max or min outside the valid region", "use pl.PadValue.zero, max or min");
}

// ---- matmul ------------------------------------------------------------------------------------

Value Lowering::matmul_op(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  op.a_trans = args.flag("a_trans");
  op.b_trans = args.flag("b_trans");
  if (kind == OpKind::MatmulAcc) {
    op.dst = args.tensor("acc");
    op.args = {args.tensor("a"), args.tensor("b")};
    return emit_in_place(std::move(op), args.at());
  }
  op.args = {args.tensor("a"), args.tensor("b")};
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
    op.high_precision = kind == OpKind::Rsqrt && args.flag("high_precision");
    const ir::Var& x = program_[op.args[0]];
    return emit(std::move(op), {x.dtype, x.shape}, target, args.at());
  }
  Value a = args.value("a");
  Value b = args.value("b");
  const bool commutes = kind == OpKind::Add || kind == OpKind::Mul || kind == OpKind::Maximum || kind == OpKind::Minimum;
  if (!a.as<Tensor>() && b.as<Tensor>() && commutes) std::swap(a, b);
  if (!a.as<Tensor>()) args.wrong("a", a, "a tensor or tile");
  op.args = {a.as<Tensor>()->var};
  const ir::Var& x = program_[op.args[0]];
  if (const auto* t = b.as<Tensor>()) op.args.push_back(t->var);
  else op.scalar = scalar_operand(b);
  if (op.args.size() == 1 && !op.scalar) args.wrong("b", b, "a tensor, a tile or a number");
  const bool expands = ir::op_name(kind).find("expand") != std::string_view::npos;
  if (expands && op.scalar) args.wrong("b", b, "a tensor or tile");
  if (kind == OpKind::Cmp) {
    const int64_t how = args.constant("cmp_type");
    if (how < 0 || how > 5)
      fail(args.at("cmp_type"), "argument", fmt::format("cmp_type {}", how), "cmp_type is 0 eq, 1 ne, 2 lt, 3 le, 4 gt or 5 ge", "use one of them");
    op.compare = static_cast<ir::Compare>(how);
  }
  if (!in_.names_are_buffers && kind == OpKind::Mul && op.scalar &&
      op.scalar->kind == ir::ScalarOperand::Kind::Literal && op.scalar->literal == 0 && untouched_.contains(op.args[0]))
    return clear(op.args[0], target, args.at());
  return emit(std::move(op), {kind == OpKind::Cmp ? DType::Bool : x.dtype, x.shape}, target, args.at());
}

// t = pl.mul(t, 0.0) right after its creation: the author means zeros, not undefined times zero.
Value Lowering::clear(ir::VarId array, std::string_view target, At at) {
  Op op;
  op.kind = OpKind::Full;
  op.scalar = ir::ScalarOperand{};
  const ir::Var& x = program_[array];
  return emit(std::move(op), {x.dtype, x.shape}, target, at);
}

// ---- sort --------------------------------------------------------------------------------------

Value Lowering::sort_op(OpKind kind, Arguments& args, std::string_view target) {
  Op op;
  op.kind = kind;
  if (kind == OpKind::Arange) {
    op.scalar = ir::ScalarOperand{ir::ScalarOperand::Kind::Index, 0, true, {}, args.integer("start")};
    return emit(std::move(op), {args.dtype("dtype"), args.shape("shape")}, target, args.at());
  }
  if (kind == OpKind::Gather) return gather(args, target);
  op.args = {args.tensor("a")};
  if (kind == OpKind::Sort32 || args.has("b")) op.args.push_back(args.tensor("b"));
  if (kind == OpKind::MergeSort && op.args.size() == 1) op.block_length = args.constant("block_len");
  const ir::Var& a = program_[op.args[0]];
  return emit(std::move(op), {a.dtype, a.shape}, target, args.at());
}

Value Lowering::gather(Arguments& args, std::string_view target) {
  Op op;
  op.args = {args.tensor("x")};
  const DType dtype = program_[op.args[0]].dtype;
  if (args.has("mask_pattern")) {
    op.kind = OpKind::GatherMask;
    const Value mask = args.value("mask_pattern");
    const auto* w = mask.as<Word>();
    const bool even = w && w->path.ends_with("MaskPattern.P0101");
    if (!even && !(w && w->path.ends_with("MaskPattern.P1010")))
      args.wrong("mask_pattern", mask, "pl.tile.MaskPattern.P0101 or P1010");
    op.mask = even ? ir::MaskPattern::P0101 : ir::MaskPattern::P1010;
    return emit(std::move(op), {args.has("output_dtype") ? args.dtype("output_dtype") : dtype, {}}, target, args.at());
  }
  op.kind = OpKind::Gather;
  if (args.has("dim") && args.constant("dim") != -1)
    unsupported(args.at("dim"), "a gather along another dimension than the last", "transpose first");
  op.args.push_back(args.tensor("index"));
  return emit(std::move(op), {dtype, {}}, target, args.at());
}

}  // namespace tilewright::frontend
