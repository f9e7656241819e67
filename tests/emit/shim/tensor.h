// What emitted kernels and orchestrations need of the runtime's tensors.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

enum class DataType { INT8, INT16, INT32, UINT8, UINT16, UINT32, FLOAT16, BFLOAT16, FLOAT32 };

inline uint64_t element_bytes(DataType t) {
  switch (t) {
    case DataType::INT8:
    case DataType::UINT8: return 1;
    case DataType::INT16:
    case DataType::UINT16:
    case DataType::FLOAT16:
    case DataType::BFLOAT16: return 2;
    case DataType::INT32:
    case DataType::UINT32:
    case DataType::FLOAT32: return 4;
  }
  return 0;
}

struct ChipTensor {
  struct Buffer {
    uint64_t addr = 0, size = 0;
  } buffer;
  uint64_t start_offset = 0;
  uint32_t ndims = 0;
  DataType dtype = DataType::FLOAT32;
  uint32_t shapes[5] = {};
  uint32_t strides[5] = {};

  void make_dense() {
    uint32_t s = 1;
    for (uint32_t d = ndims; d-- > 0;) {
      strides[d] = s;
      s *= shapes[d];
    }
  }
  ChipTensor view(const uint32_t extents[], const uint32_t offsets[]) const {
    ChipTensor out = *this;
    for (uint32_t d = 0; d < ndims; ++d) {
      if (offsets[d] + extents[d] > shapes[d]) throw std::runtime_error("a view beyond its tensor");
      out.start_offset += static_cast<uint64_t>(offsets[d]) * strides[d];
      out.shapes[d] = extents[d];
    }
    return out;
  }
  ChipTensor reshape(const uint32_t extents[], uint32_t dimensions) const {
    uint64_t s = 1;
    for (uint32_t d = ndims; d-- > 0; s *= shapes[d])
      if (shapes[d] > 1 && strides[d] != s) throw std::runtime_error("a reshape of a strided view");
    ChipTensor out = *this;
    out.ndims = dimensions;
    for (uint32_t d = 0; d < dimensions; ++d) out.shapes[d] = extents[d];
    out.make_dense();
    return out;
  }
};
