// A matrix of a product: its numbers, or INT8 codes and the FP32 scales that make numbers of them.
// Of activations every row has a scale, of weights every column (A8W8).
#pragma once

#include <optional>

#include "tilewright/dsl/ops.h"

namespace tilewright::programs {

struct Matrix {
  dsl::Tensor values;
  std::optional<dsl::Tensor> scales;  // [rows, 1] of activations, [1, columns] of weights

  Matrix(const dsl::Tensor& numbers) : values(numbers) {}  // NOLINT: a tensor is a matrix
  Matrix(const dsl::Tensor& codes, const dsl::Tensor& scales_of_codes)
      : values(codes), scales(scales_of_codes) {}

  // Of the sums of products with it.
  DType sum_type() const { return scales ? DType::I32 : DType::F32; }
};

}  // namespace tilewright::programs
