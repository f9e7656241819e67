// RMSNorm over batch rows: y = x / sqrt(mean(x^2) + eps) * gamma, in two passes over blocks of
// columns so that a row need not fit on chip.
#pragma once

#include "tilewright/programs/matrix.h"
#include "tilewright/programs/rows.h"

namespace tilewright::programs {

struct RmsNorm {
  int64_t width = 0;   // columns of x
  int64_t k_tile = 0;  // columns per block
  int64_t stages = 1;
  int64_t task_rows = 16;  // rows per task
  double eps = 1e-6;
};

// In a scope: the sum of squares of columns [col, col + cols), [rows, 1].
dsl::Tile sum_of_squares(const dsl::Tensor& x, const Rows& rows, int64_t cols,
                         const dsl::Index& col);
// In a scope: 1 / sqrt(sum / width + eps).
dsl::Tile inverse_root(const dsl::Tile& sum, int64_t width, double eps);
// In a scope: columns [col, col + cols) of the normalised rows, rounded to `dtype`.
dsl::Tile normalised(const dsl::Tensor& x, const dsl::Tensor& gamma, const dsl::Tile& inverse_rms,
                     const Rows& rows, int64_t cols, const dsl::Index& col,
                     DType dtype = DType::BF16);

// In a scope: both passes. `out` holds the whole batch, in BF16 or FP32, or as codes; `gamma` is
// [1, width] FP32.
void rms_norm_rows(dsl::Builder& p, const Matrix& out, const dsl::Tensor& x,
                   const dsl::Tensor& gamma, const Rows& rows, const RmsNorm& n);
// One task per `task_rows` rows.
void rms_norm(dsl::Builder& p, std::string_view name, const Matrix& out, const dsl::Tensor& x,
              const dsl::Tensor& gamma, const Rows& rows, const RmsNorm& n);

}  // namespace tilewright::programs
