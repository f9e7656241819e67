// The one page that says which step an op becomes.
#include "tilewright/base/check.h"
#include "tilewright/cpu/ops/makers.h"

namespace tilewright::cpu::ops {

using ir::OpKind;

StepPtr op_step(const OpContext& c) {
  switch (c.op.kind) {
    case OpKind::Create: return create_step(c);
    case OpKind::Full: return full_step(c);
    case OpKind::Slice:
    case OpKind::Load: return load_step(c);
    case OpKind::Assemble:
    case OpKind::Store: return store_step(c);
    case OpKind::Move:
    case OpKind::Copy:
    case OpKind::Cast: return cast_step(c);
    case OpKind::Reshape: return reshape_step(c);
    case OpKind::Concat: return concat_step(c);
    case OpKind::Transpose: return transpose_step(c);
    case OpKind::FillPad: return fill_pad_step(c);
    case OpKind::SetValid: return set_valid_step(c);
    case OpKind::Matmul:
    case OpKind::MatmulAcc:
    case OpKind::MatmulBias:
    case OpKind::Gemv: return matmul_step(c);
    case OpKind::Add:
    case OpKind::RowExpandAdd:
    case OpKind::ColExpandAdd: return binary_step(c, simd::kAdd);
    case OpKind::Sub:
    case OpKind::RowExpandSub:
    case OpKind::ColExpandSub: return binary_step(c, simd::kSub);
    case OpKind::Mul:
    case OpKind::RowExpandMul:
    case OpKind::ColExpandMul: return binary_step(c, simd::kMul);
    case OpKind::Div:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpandDiv: return binary_step(c, simd::kDiv);
    case OpKind::Fmod: return binary_step(c, simd::kFmod);
    case OpKind::RowExpand:
    case OpKind::ColExpand: return binary_step(c, simd::kRight);
    case OpKind::Maximum: return binary_step(c, simd::kMax);
    case OpKind::Minimum: return binary_step(c, simd::kMin);
    case OpKind::Cmp: return compare_step(c);
    case OpKind::Neg: return unary_step(c, simd::kNeg);
    case OpKind::Abs: return unary_step(c, simd::kAbs);
    case OpKind::Exp: return unary_step(c, simd::kExp);
    case OpKind::Log: return unary_step(c, simd::kLog);
    case OpKind::Sqrt: return unary_step(c, simd::kSqrt);
    case OpKind::Recip: return unary_step(c, simd::kRecip);
    case OpKind::Rsqrt: return unary_step(c, simd::kRsqrt);
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin: return row_reduce_step(c);
    case OpKind::RowArgMax:
    case OpKind::RowArgMin: return row_argument_step(c);
    case OpKind::ColSum:
    case OpKind::ColMax:
    case OpKind::ColMin: return col_reduce_step(c);
    case OpKind::Arange: return arange_step(c);
    case OpKind::Sort32: return sort32_step(c);
    case OpKind::MergeSort: return merge_sort_step(c);
    case OpKind::GatherMask: return gather_mask_step(c);
    case OpKind::Gather: return gather_step(c);
    case OpKind::ScatterMask: return scatter_mask_step(c);
  }
  bug("op kind");
}

}  // namespace tilewright::cpu::ops
