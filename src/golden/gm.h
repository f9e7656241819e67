// GM tensors: host memory in its element type, seen through strided views.
#pragma once

#include <memory>

#include "tilewright/golden/elements.h"

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
void fill(HostArray& array, double value);

// Blocks of an array of the tile's element type; the array lies dense from its first element.
void load_block(const HostArray& gm, const Block& block, Tile& tile);
void store_block(const Tile& tile, const Block& block, HostArray& gm, bool add);

}  // namespace tilewright::golden
