// Element types: names, sizes, ranges, promotion, and the bit patterns of the 16-bit floats. Of the
// block-encoded types only the sizes; encoding.h has their contents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

enum class DType : uint8_t {
  Bool,
  I4,
  I8,
  I16,
  I32,
  I64,
  U4,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F4,
  F8E4M3,
  F8E5M2,
  HF4,
  HF8,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  IQ4_NL,
  IQ4_XS,
  MXFP4,
  Index,
};

inline constexpr int kDTypeCount = static_cast<int>(DType::Index) + 1;

std::string_view dtype_name(DType t);        // as programs spell it: BF16, FP32, INT32
std::string_view dtype_short_name(DType t);  // as reports spell it: bf16, f32, i32
std::optional<DType> parse_dtype(std::string_view name);

int bits(DType t);  // of one element; of an encoded type rounded up
bool is_float(DType t);
bool is_integer(DType t);  // signed, unsigned and INDEX; not BOOL
bool is_signed(DType t);
// Types of quantised weights: a block of elements shares scales, so no element stands alone.
bool is_encoded(DType t);
// Elements and bytes of a block; of a type that is not encoded, of one element. 4-bit types: two.
int64_t block_elements(DType t);
int64_t block_bytes(DType t);
// Types that executors can hold in memory; the 4- and 8-bit floats are names only.
bool is_storable(DType t);

// Bytes of `count` elements; 4-bit types pack two to a byte, encoded types whole blocks.
int64_t bytes_of(DType t, int64_t count);

// Smallest and largest finite value.
double lowest_value(DType t);
double highest_value(DType t);

// decode-spec A.1.5: float beats integer, then width, then signed, then left.
DType promote(DType a, DType b);

// FP32 -> BF16 round to nearest, ties to even; NaN stays NaN.
uint16_t bf16_from_f32(float v);
float f32_from_bf16(uint16_t bits);
uint16_t f16_from_f32(float v);
float f32_from_f16(uint16_t bits);

// The value `v` after one rounding to float type `t` (F32, BF16, F16).
float round_to(DType t, float v);

}  // namespace tilewright
