// GM tensors: host memory in its element type, seen through strided views.
#pragma once

#include <memory>

#include "tilewright/golden/tile.h"

namespace tilewright::golden {

struct GmView {
  std::shared_ptr<HostArray> array;
  ir::TensorRef ref;
  Shape shape;
  Shape valid;  // of a view sliced with a valid shape; else all of it
};

// A view of all of `array`, which the caller keeps alive.
GmView borrow(HostArray& array);
GmView make_poisoned(DType dtype, const Shape& shape);

// A block of a GM view beside a block of a tile. Both have the rank of the view.
struct Block {
  int64_t gm_at = 0, tile_at = 0;  // first elements
  Shape extent;
  Strides gm{}, tile{};
};

void load_block(const HostArray& gm, const Block& block, Tile& tile);
// Replaces the block, or with `add` adds to it in FP32 with one rounding (integers wrap).
void store_block(const Tile& tile, const Block& block, HostArray& gm, bool add);

}  // namespace tilewright::golden
