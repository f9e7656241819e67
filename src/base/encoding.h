// The contents of block-encoded types, as they lie in GGUF files. Every type is the same thing: a
// block is divided into parts of 16 or 32 elements; an element is a small integer, its code, and
//
//   value = scale * code - minimum
//
// with the scale and the minimum of its part. Scales and minima are exact in FP32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tilewright/base/dtype.h"

namespace tilewright {

inline constexpr int64_t kLargestBlock = 256;
inline constexpr int64_t kSmallestPart = 16;

// What a type's elements are made of.
struct Encoding {
  int part = 32;                  // elements that share a scale: 16 or 32
  int bits = 4;                   // of a stored code
  int offset = 0;                 // code = stored - offset,
  const int8_t* table = nullptr;  // or table[stored]
  bool minima = false;
  bool part_scales = false;  // parts have small integers that multiply the scale of the block
};
// Of an encoded type.
const Encoding& encoding_of(DType t);

// A block taken apart, nothing computed yet.
struct BlockFields {
  std::array<uint8_t, kLargestBlock> stored{};  // codes as stored; of 8 bits in two's complement
  uint16_t scale = 0, minimum = 0;              // of the block: F16; of MXFP4 an exponent
  // Of the parts, in order; 1 where a type has none.
  std::array<int8_t, kLargestBlock / kSmallestPart> part_scales{}, part_minima{};
};
void read_fields(DType t, const std::byte* block, BlockFields& out);
// The inverse of read_fields, bit for bit.
void write_fields(DType t, const BlockFields& fields, std::byte* block);

// The scale of a block as a number.
float block_scale(DType t, uint16_t stored);

struct DecodedBlock {
  std::array<int8_t, kLargestBlock> codes{};
  std::array<float, kLargestBlock / kSmallestPart> scales{}, minima{};  // of the parts, in order
};
void decode_block(DType t, const std::byte* block, DecodedBlock& out);

// The values of out.size() elements, whole blocks: computed in double precision, rounded once.
void decode_values(DType t, const std::byte* from, std::span<float> out);

// Gives a block scales with which its values reach about `largest`; its codes stay. For random
// weights: bytes of any block are codes, but not every scale is a number.
void set_block_scale(DType t, std::byte* block, float largest);

}  // namespace tilewright
