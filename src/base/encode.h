// FP32 values to blocks of encoded types, with the least squared error that a search over scales
// finds. encoding.h has the blocks and the way back.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "tilewright/base/dtype.h"

namespace tilewright {

// Scales are F16, and every type but MXFP4 holds values up to the largest F16 at least.
inline constexpr float kLargestEncodable = 65504;

// Writes whole blocks to `out`. Returns the first element that is not finite or lies beyond
// kLargestEncodable; then `out` is left alone.
std::optional<std::size_t> encode_values(DType t, std::span<const float> values, std::byte* out);

}  // namespace tilewright
