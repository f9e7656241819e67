// The one switch that chooses what an op does.
#include "tilewright/base/check.h"
#include "tilewright/golden/ops.h"
#include "tilewright/ir/op.h"

namespace tilewright::golden::ops {

Tile compute(Call& c) {
  switch (c.op.kind) {
    case ir::OpKind::Create: return create(c);
    case ir::OpKind::Full: return full(c);
    case ir::OpKind::Slice:
    case ir::OpKind::Load: return window(c);
    case ir::OpKind::Assemble:
    case ir::OpKind::Store: break;
    case ir::OpKind::Move:
    case ir::OpKind::Copy: return copy(c);
    case ir::OpKind::Reshape: return reshape(c);
    case ir::OpKind::Concat: return concat(c);
    case ir::OpKind::Transpose: return transpose(c);
    case ir::OpKind::FillPad: return fillpad(c);
    case ir::OpKind::SetValid: return set_validshape(c);
    case ir::OpKind::Cast: return cast(c);
    case ir::OpKind::Matmul:
    case ir::OpKind::Gemv: return matmul(c);
    case ir::OpKind::MatmulAcc: return matmul_acc(c);
    case ir::OpKind::MatmulBias: return matmul_bias(c);
    case ir::OpKind::Add:
    case ir::OpKind::RowExpandAdd:
    case ir::OpKind::ColExpandAdd: return add(c);
    case ir::OpKind::Sub:
    case ir::OpKind::RowExpandSub:
    case ir::OpKind::ColExpandSub: return sub(c);
    case ir::OpKind::Mul:
    case ir::OpKind::RowExpandMul:
    case ir::OpKind::ColExpandMul: return mul(c);
    case ir::OpKind::Div:
    case ir::OpKind::RowExpandDiv:
    case ir::OpKind::ColExpandDiv: return div(c);
    case ir::OpKind::Fmod: return fmod(c);
    case ir::OpKind::Maximum: return maximum(c);
    case ir::OpKind::Minimum: return minimum(c);
    case ir::OpKind::Cmp: return cmp(c);
    case ir::OpKind::Neg: return neg(c);
    case ir::OpKind::Abs: return abs(c);
    case ir::OpKind::Exp: return exp(c);
    case ir::OpKind::Log: return log(c);
    case ir::OpKind::Sqrt: return sqrt(c);
    case ir::OpKind::Recip: return recip(c);
    case ir::OpKind::Rsqrt: return rsqrt(c);
    case ir::OpKind::RowExpand:
    case ir::OpKind::ColExpand: return expand(c);
    case ir::OpKind::RowSum: return row_sum(c);
    case ir::OpKind::RowMax: return row_max(c);
    case ir::OpKind::RowMin: return row_min(c);
    case ir::OpKind::RowArgMax: return row_argmax(c);
    case ir::OpKind::RowArgMin: return row_argmin(c);
    case ir::OpKind::ColSum: return col_sum(c);
    case ir::OpKind::ColMax: return col_max(c);
    case ir::OpKind::ColMin: return col_min(c);
    case ir::OpKind::Arange: return arange(c);
    case ir::OpKind::Sort32: return sort32(c);
    case ir::OpKind::MergeSort: return mrgsort(c);
    case ir::OpKind::GatherMask: return gather_mask(c);
    case ir::OpKind::Gather: return gather(c);
    case ir::OpKind::ScatterMask: return scatter_mask(c);
  }
  bug("compute: an op that makes no value");
}

}  // namespace tilewright::golden::ops
