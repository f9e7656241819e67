// Where values lie in the memories of a core: storages and their copies, elements and bytes.
#pragma once

#include "tilewright/golden/elements.h"
#include "tilewright/ir/lowered.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::golden::exact {

struct ByteRange {
  int memory = 0;  // a memory space, or a ring
  int64_t begin = 0, end = 0;

  bool overlaps(const ByteRange& o) const {
    return memory == o.memory && begin < o.end && o.begin < end;
  }
  bool contains(const ByteRange& o) const {
    return memory == o.memory && begin <= o.begin && o.end <= end;
  }
};

// One copy of a storage. Spaces are memories that storages share; every ring is a memory of its
// own.
ByteRange bytes_of_copy(const ir::LoweredKernel& code, int storage, int copy);

// The elements of an on-chip value.
struct Location {
  int storage = -1;
  int copy = 0;
  DType stored = DType::F32;  // their type in this memory
  ir::TensorRef ref;          // counted from the first element of the copy
  ir::Extent valid{};
  int value = 0;  // which value lies there; values are numbered in the order they are made

  std::size_t rank() const { return static_cast<std::size_t>(ref.rank); }
  Shape valid_shape() const { return {valid.begin(), valid.begin() + ref.rank}; }
  int64_t element_bytes() const { return bits(stored) / 8; }
};

// An accumulator holds 32 bits per element whatever its result is rounded to.
DType stored_type(DType dtype, MemorySpace space);

// Some of the elements of a value.
struct Window {
  Shape offset, extent;
};
Window valid_window(const Location& at);

// From the first to the last byte of a window.
ByteRange bytes_of_window(const ir::LoweredKernel& code, const Location& at, const Window& window);

// The same window of a memory and of a dense tile of the value's shape.
Block block_of(const Location& at, const Window& window);

}  // namespace tilewright::golden::exact
