#include "tilewright/emit/kernel/vector_op.h"

#include "tilewright/base/check.h"

namespace tilewright::emit {

using ir::OpKind;

std::optional<VectorOp> vector_op(OpKind kind) {
  switch (kind) {
    case OpKind::Add: return VectorOp{"TADD", "TADDS", OperandShape::Elements, Types::Numbers};
    case OpKind::Sub: return VectorOp{"TSUB", "TSUBS", OperandShape::Elements, Types::Numbers};
    case OpKind::Mul: return VectorOp{"TMUL", "TMULS", OperandShape::Elements, Types::Numbers};
    case OpKind::Div: return VectorOp{"TDIV", "TDIVS", OperandShape::Elements, Types::Floats};
    case OpKind::Maximum: return VectorOp{"TMAX", "TMAXS", OperandShape::Elements, Types::Numbers};
    case OpKind::Minimum: return VectorOp{"TMIN", "TMINS", OperandShape::Elements, Types::Numbers};
    case OpKind::Neg: return VectorOp{"TNEG", "", OperandShape::Elements, Types::Floats};
    case OpKind::Abs: return VectorOp{"TABS", "", OperandShape::Elements, Types::Floats};
    case OpKind::Exp: return VectorOp{"TEXP", "", OperandShape::Elements, Types::Floats};
    case OpKind::Log: return VectorOp{"TLOG", "", OperandShape::Elements, Types::Floats};
    case OpKind::Sqrt: return VectorOp{"TSQRT", "", OperandShape::Elements, Types::Floats};
    case OpKind::Recip: return VectorOp{"TRECIP", "", OperandShape::Elements, Types::Floats};
    case OpKind::Rsqrt: return VectorOp{"TRSQRT", "", OperandShape::Elements, Types::Floats};
    case OpKind::RowExpand: return VectorOp{"TROWEXPAND", "", OperandShape::Spread, Types::Floats};
    case OpKind::RowExpandAdd:
      return VectorOp{"TROWEXPANDADD", "", OperandShape::PerRow, Types::Floats};
    case OpKind::RowExpandSub:
      return VectorOp{"TROWEXPANDSUB", "", OperandShape::PerRow, Types::Floats};
    case OpKind::RowExpandMul:
      return VectorOp{"TROWEXPANDMUL", "", OperandShape::PerRow, Types::Floats};
    case OpKind::RowExpandDiv:
      return VectorOp{"TROWEXPANDDIV", "", OperandShape::PerRow, Types::Floats};
    case OpKind::ColExpand: return VectorOp{"TCOLEXPAND", "", OperandShape::Spread, Types::Floats};
    case OpKind::ColExpandAdd:
      return VectorOp{"TCOLEXPANDADD", "", OperandShape::PerColumn, Types::Floats};
    case OpKind::ColExpandSub:
      return VectorOp{"TCOLEXPANDSUB", "", OperandShape::PerColumn, Types::Floats};
    case OpKind::ColExpandMul:
      return VectorOp{"TCOLEXPANDMUL", "", OperandShape::PerColumn, Types::Floats};
    case OpKind::ColExpandDiv:
      return VectorOp{"TCOLEXPANDDIV", "", OperandShape::PerColumn, Types::Floats};
    case OpKind::RowSum: return VectorOp{"TROWSUM", "", OperandShape::AlongRows, Types::Floats};
    case OpKind::RowMax: return VectorOp{"TROWMAX", "", OperandShape::AlongRows, Types::Floats};
    case OpKind::RowMin: return VectorOp{"TROWMIN", "", OperandShape::AlongRows, Types::Floats};
    case OpKind::ColSum: return VectorOp{"TCOLSUM", "", OperandShape::AlongColumns, Types::Floats};
    case OpKind::ColMax: return VectorOp{"TCOLMAX", "", OperandShape::AlongColumns, Types::Floats};
    case OpKind::ColMin: return VectorOp{"TCOLMIN", "", OperandShape::AlongColumns, Types::Floats};
    // Memory, layout and products have writers of their own.
    case OpKind::Create:
    case OpKind::Full:
    case OpKind::Slice:
    case OpKind::Assemble:
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::Move:
    case OpKind::Copy:
    case OpKind::Reshape:
    case OpKind::Concat:
    case OpKind::Transpose:
    case OpKind::FillPad:
    case OpKind::SetValid:
    case OpKind::Cast:
    case OpKind::Matmul:
    case OpKind::MatmulAcc:
    case OpKind::MatmulBias:
    case OpKind::Gemv:
    // Not emitted yet.
    case OpKind::Fmod:
    case OpKind::Cmp:
    case OpKind::RowArgMax:
    case OpKind::RowArgMin:
    case OpKind::Arange:
    case OpKind::Sort32:
    case OpKind::MergeSort:
    case OpKind::GatherMask:
    case OpKind::Gather:
    case OpKind::ScatterMask: return std::nullopt;
  }
  bug("the instruction of an op");
}

bool allowed(Types types, DType t) {
  if (t == DType::F32 || t == DType::F16) return true;
  return types == Types::Numbers && (t == DType::I32 || t == DType::I16);
}

}  // namespace tilewright::emit
