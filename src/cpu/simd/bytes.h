// Products of signed bytes with INT32 sums modulo 2^32. Integer sums have no order: every table
// computes the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// Where number k of a column is in a panel of bytes: quads of all columns are a row of 128 bytes.
inline constexpr int64_t byte_position(int64_t k, int64_t column) {
  return k / kQuad * kQuadRow + column * kQuad + k % kQuad;
}

// c[m, n] += the sum over k of left[m, k] * right[k, n].
struct ByteProduct {
  const int8_t* left = nullptr;
  int64_t left_stride = 0;
  int64_t rows = 0;
  int64_t depth = 0;  // whole quads
  const int8_t* panels = nullptr;
  int64_t panel_stride = 0;
  int64_t cols = 0;
  uint32_t* c = nullptr;
  int64_t c_stride = 0;
};

// By what is faster for so many rows.
inline void multiply_bytes(const Kernels& k, const ByteProduct& p) {
  (k.multiply_byte_rows && p.rows >= kManyRows ? k.multiply_byte_rows : k.multiply_bytes)(p);
}

void multiply_bytes_plain(const ByteProduct& p);  // Kernels::multiply_bytes

// Whether a table computes the bits of the plain loops on a small product of all bytes: the check
// at start-up of instructions that the tests may never have seen.
bool multiplies_bytes_as_plain(const Kernels& table);

}  // namespace tilewright::cpu::simd
