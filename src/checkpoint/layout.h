// Where tensors may lie in a file, checked to the byte. Used by both containers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::checkpoint {

// A tensor as a header describes it, before its bytes are looked at.
struct Placed {
  TensorView tensor;            // without bytes
  uint64_t begin = 0, end = 0;  // offsets in the data part of the file
};

// Bytes of a tensor of this type and shape; nothing when they do not fit in 62 bits, a dimension is
// negative, or blocks do not divide a row.
std::optional<uint64_t> tensor_byte_count(DType type, const Shape& shape);

// Every tensor has the bytes its shape needs, names are unique, and the tensors follow one another
// in `data` from its first byte to its last, apart from padding to `alignment`. Gives the tensors
// their bytes, in the order of the header. `origin` is the file's name in messages. Throws
// UserError.
std::vector<TensorView> lay_out(std::vector<Placed> placed, std::span<const std::byte> data,
                                uint64_t alignment, const std::string& origin);

}  // namespace tilewright::checkpoint
