#include "tilewright/golden/gm.h"

#include "tilewright/base/check.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden {

GmView borrow(HostArray& array) {
  return {std::shared_ptr<HostArray>(&array, [](HostArray*) {}),
          ir::TensorRef::whole({}, array.shape()), array.shape(), array.shape()};
}

GmView make_poisoned(DType dtype, const Shape& shape) {
  auto array = std::make_shared<HostArray>(dtype, shape);
  array->fill_poison();
  return {std::move(array), ir::TensorRef::whole({}, shape), shape, shape};
}

void load_block(const HostArray& gm, const Block& b, Tile& tile) {
  check(gm.dtype() == tile.dtype, "load into another element type");
  load_elements(gm.dtype(), gm.data(), b, tile);
}

void store_block(const Tile& tile, const Block& b, HostArray& gm, bool add) {
  check(gm.dtype() == tile.dtype, "store from another element type");
  store_elements(tile, b, gm.dtype(), gm.data(), add);
}

void fill(HostArray& array, double value) {
  for (int64_t i = 0; i < array.size(); ++i) array.set(i, value);
}

}  // namespace tilewright::golden
