// Elements as they lie in memory, and as a tile holds them. GM and the exact executor's memories
// read and write their bytes here.
#pragma once

#include "tilewright/golden/tile.h"

namespace tilewright::golden {

// A block of a memory beside a block of a tile. Offsets and strides are in elements, and both sides
// have the rank of `extent`.
struct Block {
  int64_t memory_at = 0, tile_at = 0;  // first elements
  Shape extent;
  Strides memory{}, tile{};
};

// `bytes` holds elements of type `stored`, aligned to their size.
void load_elements(DType stored, const std::byte* bytes, const Block& block, Tile& tile);
// Replaces the block, or with `add` adds to it in FP32 with one rounding (integers wrap).
void store_elements(const Tile& tile, const Block& block, DType stored, std::byte* bytes, bool add);

}  // namespace tilewright::golden
