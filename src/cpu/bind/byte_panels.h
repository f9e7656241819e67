// Weights of bytes in panels: simd/bytes.h describes the layout.
#pragma once

#include "tilewright/cpu/simd/bytes.h"

namespace tilewright::cpu {

// A matrix of bytes [depth, columns]; strides are in elements.
struct Bytes {
  const int8_t* data = nullptr;
  int64_t depth = 0, columns = 0;
  int64_t k_stride = 0, column_stride = 0;
};

// k [k0, k0 + step) of a panel; what lies beyond the matrix becomes zero. `to`: the panel's begin.
void pack_byte_panel(const Bytes& from, int64_t panel, int64_t k0, int64_t step, int8_t* to);

// Panels [first, last) in whole groups of k; the first panel of all is at `to`.
void pack_byte_panels(const Bytes& from, int64_t first, int64_t last, int8_t* to);

}  // namespace tilewright::cpu
