// Projections y = x W as chains of matmul and matmul_acc over the reduction, and the stages built
// from them: one output, several outputs sharing the left operand, projection plus residual.
#pragma once

#include <functional>
#include <vector>

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

// Gives the left block [rows, k_tile] at reduction offset k0.
using LeftBlock = std::function<dsl::Tile(const dsl::Index& k0)>;

// Columns of a weight, from `first` on.
struct Columns {
  dsl::Tensor weight;
  dsl::Index first;
};

// In a scope: n_tile columns of x * W for every one of `columns`; one left block feeds them all.
std::vector<dsl::Tile> project(dsl::Builder& p, const LeftBlock& left, const Rows& rows,
                               const std::vector<Columns>& columns, int64_t n_tile, const Chain& c);
// The same columns of every weight.
std::vector<dsl::Tile> project(dsl::Builder& p, const LeftBlock& left, const Rows& rows,
                               const std::vector<dsl::Tensor>& weights, const dsl::Index& n0,
                               int64_t n_tile, const Chain& c);
dsl::Tile project(dsl::Builder& p, const dsl::Tensor& x, const Rows& rows,
                  const dsl::Tensor& weight, const dsl::Index& n0, int64_t n_tile, const Chain& c);
// The left block is loaded from `x`, which holds the whole batch.
LeftBlock rows_of(const dsl::Tensor& x, const Rows& rows, int64_t k_tile);

// How an output is cut into tasks.
struct Blocks {
  int64_t n_tile = 0;    // columns per block
  int64_t per_task = 1;  // blocks per task
};

// Tasks: out = x * weight, in FP32.
void projection(dsl::Builder& p, std::string_view name, const dsl::Tensor& out,
                const dsl::Tensor& x, const Rows& rows, const dsl::Tensor& weight, const Chain& c,
                const Blocks& b);

// Tasks: out = x * weight + residual, rounded to the type of `out`.
enum class Epilogue {
  Separate,  // the sum crosses GM to a vector task
  Pairs,     // the same, and two adjacent blocks share a loop and its left operand
  Fused,     // one mixed task whose vector side takes the rows in two halves
};
void projection_residual(dsl::Builder& p, std::string_view name, const dsl::Tensor& out,
                         const dsl::Tensor& x, const Rows& rows, const dsl::Tensor& weight,
                         const dsl::Tensor& residual, const Chain& c, const Blocks& b, Epilogue e);

}  // namespace tilewright::programs
