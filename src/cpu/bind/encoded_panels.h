// Encoded weights in panels: simd/encoded.h describes the layout.
#pragma once

#include "tilewright/base/array.h"
#include "tilewright/cpu/simd/encoded.h"

namespace tilewright::cpu {

// One block of k of up to kPanel columns, each a row of blocks as files store them: column c's
// block is at from + c * column_bytes. Columns that are missing become zeros.
void pack_encoded_block(const simd::PanelLayout& layout, const std::byte* from,
                        int64_t column_bytes, int64_t columns, std::byte* to);

// Panels [first, last) of a weight [N, K].
void pack_encoded_panels(const HostArray& from, int64_t first, int64_t last, std::byte* to);

}  // namespace tilewright::cpu
