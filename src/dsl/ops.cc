#include "tilewright/dsl/ops.h"

#include <fmt/format.h>

#include "tilewright/ir/infer.h"

namespace tilewright::dsl {
namespace {

using ir::Op;
using ir::OpKind;

std::vector<ir::Expr> exprs(const Indices& indices) {
  std::vector<ir::Expr> out;
  for (const Index& i : indices) out.push_back(i.expr());
  return out;
}

// Handles are indices into one program; mixing two programs would point at the wrong buffers.
void require_same_program(const Tensor& a, const Tensor& b, OpKind kind, Here here) {
  if (&a.builder() == &b.builder()) return;
  user_error("foreign-tensor",
             fmt::format("{} of tensors that belong to programs {} and {}", ir::op_name(kind),
                         a.builder().program().name, b.builder().program().name),
             fmt::format("at {}", here.place().text()),
             "all operands of an operation must belong to one program",
             "build both tensors with the same Builder");
}

Op make(OpKind kind, std::initializer_list<const Tensor*> args, Here here) {
  Op op;
  op.kind = kind;
  for (const Tensor* t : args) {
    require_same_program(**args.begin(), *t, kind, here);
    op.args.push_back(t->var());
  }
  return op;
}

Op make_update(OpKind kind, const Tensor& dst, std::initializer_list<const Tensor*> args,
               Here here) {
  Op op = make(kind, args, here);
  require_same_program(dst, **args.begin(), kind, here);
  op.dst = dst.var();
  return op;
}

// Results are named after the op unless the author names them.
Tensor emit(Op op, const ir::ArrayType& declared, const Tensor& first, Here here) {
  const std::string hint(ir::op_name(op.kind));
  return first.builder().emit(std::move(op), declared, hint, here);
}

Tensor unary(OpKind kind, const Tile& x, Here here) {
  return emit(make(kind, {&x}, here), {x.dtype(), x.shape()}, x, here);
}

Tensor binary(OpKind kind, const Tile& a, const Tile& b, Here here) {
  return emit(make(kind, {&a, &b}, here), {a.dtype(), a.shape()}, a, here);
}

Tensor with_scalar(OpKind kind, const Tile& a, const Scalar& s, Here here) {
  Op op = make(kind, {&a}, here);
  op.scalar = s.operand();
  return emit(std::move(op), {a.dtype(), a.shape()}, a, here);
}

DType product_dtype(const Tile& a, const MatmulOptions& o) {
  return o.out_dtype.value_or(ir::accumulator_dtype(a.dtype()));
}

}  // namespace

Tensor slice(const Tensor& x, const Shape& shape, const Indices& offset, const SliceOptions& o,
             Here here) {
  Op op = make(OpKind::Slice, {&x}, here);
  op.offset = exprs(offset);
  op.valid = exprs(o.valid_shape);
  op.pad = o.pad;
  return emit(std::move(op), {x.dtype(), shape}, x, here);
}

Tile load(const Tensor& x, const Indices& offset, const Shape& shape, const LoadOptions& o,
          Here here) {
  Op op = make(OpKind::Load, {&x}, here);
  op.offset = exprs(offset);
  op.valid = exprs(o.valid_shape);
  op.space = o.target;
  op.transpose = o.transpose;
  return emit(std::move(op), {x.dtype(), shape}, x, here);
}

void assemble(const Tensor& dst, const Tensor& src, const Indices& offset, Here here) {
  Op op = make_update(OpKind::Assemble, dst, {&src}, here);
  op.offset = exprs(offset);
  dst.builder().emit_in_place(std::move(op), here);
}

void assemble_add(const Tensor& dst, const Tensor& src, const Indices& offset, Here here) {
  Op op = make_update(OpKind::Assemble, dst, {&src}, here);
  op.offset = exprs(offset);
  op.atomic_add = true;
  dst.builder().emit_in_place(std::move(op), here);
}

void store(const Tile& tile, const Indices& offset, const Tensor& dst, Here here) {
  Op op = make_update(OpKind::Store, dst, {&tile}, here);
  op.offset = exprs(offset);
  dst.builder().emit_in_place(std::move(op), here);
}

Tile move(const Tile& x, MemorySpace target, Here here) {
  Op op = make(OpKind::Move, {&x}, here);
  op.space = target;
  return emit(std::move(op), {x.dtype(), x.shape()}, x, here);
}

void assign(const Tensor& dst, const Tensor& value, Here here) {
  require_same_program(dst, value, OpKind::Copy, here);
  dst.builder().assign(dst, value, false, here);
}

void assign(const Tensor& dst, Tensor&& value, Here here) {
  require_same_program(dst, value, OpKind::Copy, here);
  dst.builder().assign(dst, value, true, here);
}

Tensor reshape(const Tensor& x, const Shape& shape, Here here) {
  return emit(make(OpKind::Reshape, {&x}, here), {x.dtype(), shape}, x, here);
}

Tile concat(const Tile& a, const Tile& b, Here here) { return binary(OpKind::Concat, a, b, here); }
Tile transpose(const Tile& x, Here here) { return unary(OpKind::Transpose, x, here); }

Tile fillpad(const Tile& x, Pad pad, Here here) {
  Op op = make(OpKind::FillPad, {&x}, here);
  op.pad = pad;
  return emit(std::move(op), {x.dtype(), x.shape()}, x, here);
}

Tile set_validshape(const Tile& x, const Indices& valid, Here here) {
  Op op = make(OpKind::SetValid, {&x}, here);
  op.valid = exprs(valid);
  return emit(std::move(op), {x.dtype(), x.shape()}, x, here);
}

Tile cast(const Tile& x, DType dtype, CastMode mode, Here here) {
  Op op = make(OpKind::Cast, {&x}, here);
  op.cast_mode = mode;
  return emit(std::move(op), {dtype, x.shape()}, x, here);
}

Tile matmul(const Tile& a, const Tile& b, const MatmulOptions& o, Here here) {
  Op op = make(OpKind::Matmul, {&a, &b}, here);
  op.a_trans = o.a_trans;
  op.b_trans = o.b_trans;
  return emit(std::move(op), {product_dtype(a, o), {}}, a, here);
}

void matmul_acc(const Tile& acc, const Tile& a, const Tile& b, const MatmulOptions& o, Here here) {
  Op op = make_update(OpKind::MatmulAcc, acc, {&a, &b}, here);
  op.a_trans = o.a_trans;
  op.b_trans = o.b_trans;
  acc.builder().emit_in_place(std::move(op), here);
}

Tile matmul_bias(const Tile& a, const Tile& b, const Tile& bias, const MatmulOptions& o,
                 Here here) {
  Op op = make(OpKind::MatmulBias, {&a, &b, &bias}, here);
  op.a_trans = o.a_trans;
  op.b_trans = o.b_trans;
  return emit(std::move(op), {product_dtype(a, o), {}}, a, here);
}

Tile gemv(const Tile& a, const Tile& b, const MatmulOptions& o, Here here) {
  Op op = make(OpKind::Gemv, {&a, &b}, here);
  op.a_trans = o.a_trans;
  op.b_trans = o.b_trans;
  return emit(std::move(op), {product_dtype(a, o), {}}, a, here);
}

Tile add(const Tile& a, const Tile& b, Here here) { return binary(OpKind::Add, a, b, here); }
Tile add(const Tile& a, const Scalar& s, Here here) { return with_scalar(OpKind::Add, a, s, here); }
Tile sub(const Tile& a, const Tile& b, Here here) { return binary(OpKind::Sub, a, b, here); }
Tile sub(const Tile& a, const Scalar& s, Here here) { return with_scalar(OpKind::Sub, a, s, here); }
Tile mul(const Tile& a, const Tile& b, Here here) { return binary(OpKind::Mul, a, b, here); }
Tile mul(const Tile& a, const Scalar& s, Here here) { return with_scalar(OpKind::Mul, a, s, here); }
Tile div(const Tile& a, const Tile& b, Here here) { return binary(OpKind::Div, a, b, here); }
Tile div(const Tile& a, const Scalar& s, Here here) { return with_scalar(OpKind::Div, a, s, here); }
Tile fmod(const Tile& a, const Tile& b, Here here) { return binary(OpKind::Fmod, a, b, here); }
Tile fmod(const Tile& a, const Scalar& s, Here here) {
  return with_scalar(OpKind::Fmod, a, s, here);
}
Tile maximum(const Tile& a, const Tile& b, Here here) {
  return binary(OpKind::Maximum, a, b, here);
}
Tile maximum(const Tile& a, const Scalar& s, Here here) {
  return with_scalar(OpKind::Maximum, a, s, here);
}
Tile minimum(const Tile& a, const Tile& b, Here here) {
  return binary(OpKind::Minimum, a, b, here);
}
Tile minimum(const Tile& a, const Scalar& s, Here here) {
  return with_scalar(OpKind::Minimum, a, s, here);
}

Tile cmp(const Tile& a, const Tile& b, ir::Compare how, Here here) {
  Op op = make(OpKind::Cmp, {&a, &b}, here);
  op.compare = how;
  return emit(std::move(op), {DType::Bool, a.shape()}, a, here);
}

Tile cmp(const Tile& a, const Scalar& s, ir::Compare how, Here here) {
  Op op = make(OpKind::Cmp, {&a}, here);
  op.compare = how;
  op.scalar = s.operand();
  return emit(std::move(op), {DType::Bool, a.shape()}, a, here);
}

Tile neg(const Tile& x, Here here) { return unary(OpKind::Neg, x, here); }
Tile abs(const Tile& x, Here here) { return unary(OpKind::Abs, x, here); }
Tile exp(const Tile& x, Here here) { return unary(OpKind::Exp, x, here); }
Tile log(const Tile& x, Here here) { return unary(OpKind::Log, x, here); }
Tile sqrt(const Tile& x, Here here) { return unary(OpKind::Sqrt, x, here); }
Tile recip(const Tile& x, Here here) { return unary(OpKind::Recip, x, here); }

Tile rsqrt(const Tile& x, bool high_precision, Here here) {
  Op op = make(OpKind::Rsqrt, {&x}, here);
  op.high_precision = high_precision;
  return emit(std::move(op), {x.dtype(), x.shape()}, x, here);
}

Tile row_expand(const Tile& target, const Tile& v, Here here) {
  return binary(OpKind::RowExpand, target, v, here);
}
Tile col_expand(const Tile& target, const Tile& v, Here here) {
  return binary(OpKind::ColExpand, target, v, here);
}
Tile row_expand_add(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::RowExpandAdd, x, v, here);
}
Tile row_expand_sub(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::RowExpandSub, x, v, here);
}
Tile row_expand_mul(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::RowExpandMul, x, v, here);
}
Tile row_expand_div(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::RowExpandDiv, x, v, here);
}
Tile col_expand_add(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::ColExpandAdd, x, v, here);
}
Tile col_expand_sub(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::ColExpandSub, x, v, here);
}
Tile col_expand_mul(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::ColExpandMul, x, v, here);
}
Tile col_expand_div(const Tile& x, const Tile& v, Here here) {
  return binary(OpKind::ColExpandDiv, x, v, here);
}

Tile row_sum(const Tile& x, Here here) { return unary(OpKind::RowSum, x, here); }
Tile row_max(const Tile& x, Here here) { return unary(OpKind::RowMax, x, here); }
Tile row_min(const Tile& x, Here here) { return unary(OpKind::RowMin, x, here); }
Tile row_argmax(const Tile& x, Here here) { return unary(OpKind::RowArgMax, x, here); }
Tile row_argmin(const Tile& x, Here here) { return unary(OpKind::RowArgMin, x, here); }
Tile col_sum(const Tile& x, Here here) { return unary(OpKind::ColSum, x, here); }
Tile col_max(const Tile& x, Here here) { return unary(OpKind::ColMax, x, here); }
Tile col_min(const Tile& x, Here here) { return unary(OpKind::ColMin, x, here); }

Tile sort32(const Tile& x, const Tile& index, Here here) {
  return binary(OpKind::Sort32, x, index, here);
}

Tile mrgsort(const Tile& pairs, int64_t block_len, Here here) {
  Op op = make(OpKind::MergeSort, {&pairs}, here);
  op.block_length = block_len;
  return emit(std::move(op), {pairs.dtype(), pairs.shape()}, pairs, here);
}

Tile mrgsort(const Tile& a, const Tile& b, Here here) {
  return binary(OpKind::MergeSort, a, b, here);
}

Tile gather_mask(const Tile& pairs, ir::MaskPattern mask, DType dtype, Here here) {
  Op op = make(OpKind::GatherMask, {&pairs}, here);
  op.mask = mask;
  return emit(std::move(op), {dtype, {}}, pairs, here);
}

Tile gather(const Tile& x, const Tile& index, Here here) {
  return binary(OpKind::Gather, x, index, here);
}

Tile scatter_mask(const Tile& x, ir::MaskPattern mask, const Tile& into, Here here) {
  Op op = make(OpKind::ScatterMask, {&x, &into}, here);
  op.mask = mask;
  return emit(std::move(op), {into.dtype(), into.shape()}, x, here);
}

}  // namespace tilewright::dsl
