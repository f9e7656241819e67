// Products with block-encoded weights: how their panels lie in memory, and left rows as small
// integers. docs/meaning.md states what is computed; every table computes the same bits.
//
// A panel holds kPanel columns. For each block of k it has, one after the other:
//
//   scales       of the block, by column: F16, of MXFP4 FP32
//   minima       of the block, by column: F16, of types that have minima
//   part scales  by part and column: 8-bit integers, of types that have them
//   part minima  likewise
//   codes        four k of a column side by side, a "quad"; quads of all columns are a row of 128
//                bytes. Codes of 8 bits: row after row. Others: the low four bits of two rows in
//                one, the first in the low nibbles;
//   high bits    of 5 bits: one bit of eight rows in one; of 6 bits: two bits of four rows in one,
//                the first row in the lowest bits.
//
// These are the bytes of the file in another order, plus those of packed 6-bit scales. Q2_K and
// Q3_K take four bits per code, MXFP4 four bytes per scale.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tilewright/base/encoding.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// Where the parts of a panel's block begin, in bytes.
struct PanelLayout {
  DType type;
  const Encoding& encoding;
  int64_t block;  // k
  int64_t parts;  // of a block
  int64_t scale_bytes;
  int64_t minima, part_scales, part_minima, codes, high_bits;
  int64_t bytes;  // of the whole

  int bits_stored() const { return encoding.bits == 8 ? 8 : 4; }
  int high_bits_of_code() const {
    return encoding.bits > 4 && encoding.bits < 8 ? encoding.bits - 4 : 0;
  }
  bool is_signed() const { return encoding.bits == 8 || encoding.table != nullptr; }
};
const PanelLayout& panel_layout(DType t);

// k that are quantised, and whose weights are expanded, at a time.
inline constexpr int64_t kLeftChunk = 256;
inline constexpr int64_t kLeftBlock = 32;  // of a left row that share a scale

inline constexpr int64_t kPartsOfChunk = kLeftChunk / kSmallestPart;  // at most

// kLeftChunk numbers of a left row; behind the end of a row they are zero.
struct alignas(32) QuantisedChunk {
  int8_t codes[kLeftChunk];
  float scales[kLeftChunk / kLeftBlock];
  int32_t sums[kPartsOfChunk];  // of the codes of each part of 16
};
static_assert(sizeof(QuantisedChunk) == 352);
inline constexpr int64_t chunk_count(int64_t depth) {
  return (depth + kLeftChunk - 1) / kLeftChunk;
}

inline constexpr int64_t quantised_row_bytes(int64_t depth) {
  return chunk_count(depth) * static_cast<int64_t>(sizeof(QuantisedChunk));
}

// Rows whose codes stay in L1 or L2 while a chunk of the weights is used.
inline constexpr int64_t kEncodedRowsAtOnce = 64;

// c[m, n] += left[m, :] * right[:, n] by the rule of encoded weights.
struct EncodedProduct {
  // Chunk after chunk, of each the rows one after the other.
  const QuantisedChunk* left = nullptr;
  int64_t rows = 0;
  int64_t depth = 0;  // a multiple of the type's block
  const PanelLayout* layout = nullptr;
  const std::byte* panels = nullptr;
  int64_t panel_stride = 0;  // bytes
  int64_t cols = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
};

// By what is faster for so many rows.
inline void multiply_encoded(const Kernels& k, const EncodedProduct& p) {
  (k.multiply_encoded_rows && p.rows >= kManyRows ? k.multiply_encoded_rows
                                                  : k.multiply_encoded)(p);
}

}  // namespace tilewright::cpu::simd
