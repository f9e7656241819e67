// Products of integers modulo 2^32, whatever their order: the inner loops, by element type. INT8 has
// kernels of its own (simd/bytes.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tilewright/base/dtype.h"

namespace tilewright::cpu::ops {

// A matrix of integers in memory; strides are in elements.
struct WholeMatrix {
  const std::byte* data = nullptr;
  int64_t row_stride = 0, col_stride = 0;
};

// c[m, n] += the sum over k of a[m, k] * b[k, n].
struct WholeProduct {
  WholeMatrix a, b;
  int64_t rows = 0, depth = 0, cols = 0;
  uint32_t* c = nullptr;
  int64_t c_stride = 0;
};
void add_whole_product(DType t, const WholeProduct& p);

}  // namespace tilewright::cpu::ops
