// How a product that is too large for the cube core's inner memories is cut: the pass
// tile_products asks for every such product.
#pragma once

#include <optional>

#include "tilewright/base/dtype.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

// [m x k] by [k x n], and again for every trip of the loop that accumulates it.
struct Product {
  int64_t m = 0, n = 0, k = 0;
  DType operands = DType::BF16;
  bool biased = false;  // its first sum is a row in Bias
  int64_t trips = 1;
  bool can_cut_output = false;  // into windows
  bool can_cut_depth = true;    // into blocks of k
  bool equal_blocks = false;    // k without a rest: how many blocks there are is not known yet

  friend bool operator==(const Product&, const Product&) = default;
};

struct L0Tile {
  int64_t m = 0, n = 0, k = 0;
  int64_t copies = 2;    // of a k block in Left and Right
  int64_t windows = 1;   // of the output
  int64_t k_blocks = 1;  // of one product
  // Cycles of all windows; 0 where the platform's timing is not described.
  double load = 0;      // into Left and Right
  double multiply = 0;
  double drain = 0;

  double cycles() const { return (load > multiply ? load : multiply) + drain; }
  friend bool operator==(const L0Tile&, const L0Tile&) = default;
};

// The smallest block of k that the cube takes whole.
int64_t k_step(DType operands, const platform::Platform& platform);

// Whether Left, Right, Acc and Bias hold the product as it is; Acc and Bias alone.
bool fits_l0(const Product& product, const platform::Platform& platform);
bool accumulator_fits(const Product& product, const platform::Platform& platform);

// The tile with the fewest cycles, all aligned ones tried: the accumulator whole where it fits and
// k can be cut, else windows that divide the output; Left and Right with two k blocks each, so that
// one is filled while the other is multiplied, or with one where two never fit. Equals: fewer
// windows, then fewer k blocks, then less to load. Nothing: no tile fits.
std::optional<L0Tile> choose_l0_tile(const Product& product, const platform::Platform& platform);

}  // namespace tilewright::compile
