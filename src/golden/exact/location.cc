#include "tilewright/golden/exact/location.h"

namespace tilewright::golden::exact {

ByteRange bytes_of_copy(const ir::LoweredKernel& code, int storage, int copy) {
  const ir::Storage& s = code.storage[static_cast<std::size_t>(storage)];
  const int memory =
      s.is_ring() ? static_cast<int>(kMemorySpaces.size()) + storage : static_cast<int>(s.space);
  const int64_t begin = s.address + copy * s.bytes;
  return {memory, begin, begin + s.bytes};
}

DType stored_type(DType dtype, MemorySpace space) {
  if (space != MemorySpace::Acc) return dtype;
  return is_float(dtype) ? DType::F32 : DType::I32;
}

Window valid_window(const Location& at) { return {Shape(at.rank(), 0), at.valid_shape()}; }

ByteRange bytes_of_window(const ir::LoweredKernel& code, const Location& at, const Window& window) {
  const ByteRange copy = bytes_of_copy(code, at.storage, at.copy);
  const int64_t first = at.ref.base + flat_offset(window.offset, at.ref.stride);
  int64_t last = first;
  for (std::size_t d = 0; d < window.extent.size(); ++d)
    last += (window.extent[d] - 1) * at.ref.stride[d];
  return {copy.memory, copy.begin + first * at.element_bytes(),
          copy.begin + (last + 1) * at.element_bytes()};
}

Block block_of(const Location& at, const Window& window) {
  const Strides dense = dense_strides({at.ref.shape.begin(), at.ref.shape.begin() + at.ref.rank});
  return {at.ref.base + flat_offset(window.offset, at.ref.stride),
          flat_offset(window.offset, dense), window.extent, at.ref.stride, dense};
}

}  // namespace tilewright::golden::exact
