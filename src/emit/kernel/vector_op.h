// What PTO-ISA calls the operations of the vector core, as a table: one row per op.
#pragma once

#include <optional>
#include <string_view>

#include "tilewright/base/dtype.h"
#include "tilewright/ir/op.h"

namespace tilewright::emit {

// How the operands of an instruction are written.
enum class OperandShape : uint8_t {
  Elements,      // (dst, a) or (dst, a, b): rows of elements
  PerRow,        // (dst, a, column): a column beside whole rows
  PerColumn,     // (dst, a, row)
  Spread,        // (dst, column or row)
  AlongRows,     // (dst column, a, scratch)
  AlongColumns,  // (dst row, a)
};

// The element types that the device computes with.
enum class Types : uint8_t { Floats, Numbers };

struct VectorOp {
  std::string_view instruction;  // "TADD"
  std::string_view with_scalar;  // "TADDS"; empty if there is none
  OperandShape shape = OperandShape::Elements;
  Types types = Types::Floats;
};

// Nothing for an op that is not one instruction of this table.
std::optional<VectorOp> vector_op(ir::OpKind kind);
bool allowed(Types types, DType t);

}  // namespace tilewright::emit
