// Classes of vector instructions that share one cost formula. The op table names the class of an op,
// a platform file gives each class its numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright {

enum class VectorClass : uint8_t {
  Binary, Scalar, Divide, DivideScalar, Exp, Root, Reciprocal, Cast, Fill, Copy, Transpose,
  RowReduce, ColReduce, RowExpand, RowBinary, RowDivide, ColExpand, Sort
};
inline constexpr int kVectorClasses = static_cast<int>(VectorClass::Sort) + 1;

constexpr std::string_view vector_class_name(VectorClass c) {  // as a platform file spells it
  switch (c) {
    case VectorClass::Binary: return "binary";
    case VectorClass::Scalar: return "scalar";
    case VectorClass::Divide: return "divide";
    case VectorClass::DivideScalar: return "divide_scalar";
    case VectorClass::Exp: return "exp";
    case VectorClass::Root: return "root";
    case VectorClass::Reciprocal: return "reciprocal";
    case VectorClass::Cast: return "cast";
    case VectorClass::Fill: return "fill";
    case VectorClass::Copy: return "copy";
    case VectorClass::Transpose: return "transpose";
    case VectorClass::RowReduce: return "row_reduce";
    case VectorClass::ColReduce: return "col_reduce";
    case VectorClass::RowExpand: return "row_expand";
    case VectorClass::RowBinary: return "row_binary";
    case VectorClass::RowDivide: return "row_divide";
    case VectorClass::ColExpand: return "col_expand";
    case VectorClass::Sort: return "sort";
  }
  return "";
}

}  // namespace tilewright
