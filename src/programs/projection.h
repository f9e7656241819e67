// Projections y = x W as chains of matmul and matmul_acc over the reduction, and the stages built
// from them: one output, several outputs sharing the left operand, projection plus residual. When x
// and W are INT8 codes, the sums are INT32 and their scales make FP32 numbers of them.
#pragma once

#include <functional>
#include <vector>

#include "tilewright/programs/matrix.h"
#include "tilewright/programs/rows.h"

namespace tilewright::programs {

// The reduction of a projection.
struct Chain {
  int64_t depth = 0;  // length of the reduction: rows of W
  int64_t k_tile = 0;
  int64_t stages = 1;  // > 1: a pipeline whose first trip multiplies and whose others accumulate
  bool transposed = false;   // W is stored [out, in]
  bool loads_first = false;  // of one trip, before its products; a pipeline always has them so
};

// The left operand of a projection: `block` gives [rows, k_tile] at reduction offset k0.
struct Left {
  std::function<dsl::Tile(const dsl::Index& k0)> block;
  std::optional<dsl::Tensor> scales = {};  // [batch, 1], when the blocks are codes
};

// Columns of a weight, from `first` on.
struct Columns {
  Matrix weight;
  dsl::Index first;
};

// In a scope: the sums of n_tile columns of x * W for every one of `columns`; one left block feeds
// them all.
std::vector<dsl::Tile> project_sums(dsl::Builder& p, const Left& left, const Rows& rows,
                                    const std::vector<Columns>& columns, int64_t n_tile,
                                    const Chain& c);
// In a scope: the numbers that sums stand for; no op when they are numbers already.
dsl::Tile numbers_of(const dsl::Tile& sums, const std::optional<dsl::Tensor>& row_scales,
                     const Rows& rows, const Columns& columns, int64_t n_tile);
// Both. The same columns of every weight.
std::vector<dsl::Tile> project(dsl::Builder& p, const Left& left, const Rows& rows,
                               const std::vector<Matrix>& weights, const dsl::Index& n0,
                               int64_t n_tile, const Chain& c);
dsl::Tile project(dsl::Builder& p, const Matrix& x, const Rows& rows, const Matrix& weight,
                  const dsl::Index& n0, int64_t n_tile, const Chain& c);
// The left block is loaded from `x`, which holds the whole batch.
Left rows_of(const Matrix& x, const Rows& rows, int64_t k_tile);

// How an output is cut into tasks.
struct Blocks {
  int64_t n_tile = 0;    // columns per block
  int64_t per_task = 1;  // blocks per task
};

// Of tasks that only project `x`: codes have a vector side, which scales half of the rows on each
// core.
dsl::AtOptions projection_options(const Matrix& x);

// Tasks: out = x * weight, in FP32.
void projection(dsl::Builder& p, std::string_view name, const dsl::Tensor& out, const Matrix& x,
                const Rows& rows, const Matrix& weight, const Chain& c, const Blocks& b);

// Tasks: out = x * weight + residual, rounded to the type of `out`.
enum class Epilogue {
  Separate,  // the sum crosses GM to a vector task
  Pairs,     // the same, and two adjacent blocks share a loop and its left operand
  Fused,     // one mixed task whose vector side takes the rows in two halves
};
void projection_residual(dsl::Builder& p, std::string_view name, const dsl::Tensor& out,
                         const Matrix& x, const Rows& rows, const Matrix& weight,
                         const dsl::Tensor& residual, const Chain& c, const Blocks& b, Epilogue e);

}  // namespace tilewright::programs
