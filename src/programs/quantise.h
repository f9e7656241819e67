// Activations as INT8 codes with one FP32 scale per row, as kernels with A8W8 weights want them:
//
//   a     = the largest magnitude of the row, at least kLeastMagnitude
//   code  = v * (127 / a), rounded to the nearest integer, ties to even
//   scale = a / 127
//
// docs/qwen3.md states every rounding.
#pragma once

#include "tilewright/programs/matrix.h"
#include "tilewright/programs/rms_norm.h"

namespace tilewright::programs {

inline constexpr double kLargestCode = 127;
// Published kernels start the search for the largest magnitude here. A row of zeros therefore has
// codes of 0 and a scale above 0, and 127 / a is always finite.
inline constexpr double kLeastMagnitude = 1e-4;

// How rows are walked over.
struct Quantise {
  int64_t width = 0;   // columns of x
  int64_t k_tile = 0;  // columns per block
  int64_t stages = 1;
  int64_t task_rows = 16;  // rows per task
};

// One task per `task_rows` rows: `out` becomes the codes and scales of `x`, which holds the whole
// batch. Nothing when `out` has no scales: then it is `x` itself.
void quantise(dsl::Builder& p, std::string_view name, const Matrix& out, const dsl::Tensor& x,
              const Rows& rows, const Quantise& q);

// In a scope: `out` becomes the codes and scales of the normalised rows. The codes are those of
// x * gamma, since 1 / rms is the same for the whole row; the scale has it.
void rms_norm_codes(dsl::Builder& p, const Matrix& out, const dsl::Tensor& x,
                    const dsl::Tensor& gamma, const Rows& rows, const RmsNorm& n);

// In a scope: the numbers that INT32 sums of products of codes stand for, in FP32. The columns are
// scaled first, then the rows.
dsl::Tile scaled_sums(const dsl::Tile& sums, const dsl::Tile& column_scales,
                      const dsl::Tile& row_scales);

}  // namespace tilewright::programs
