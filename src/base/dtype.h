// Element types: names, sizes, ranges, promotion, and the bit patterns of the 16-bit floats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

enum class DType : uint8_t {
  Bool,
  I4, I8, I16, I32, I64,
  U4, U8, U16, U32, U64,
  F16, BF16, F32,
  F4, F8E4M3, F8E5M2, HF4, HF8,
  Index,
};

inline constexpr int kDTypeCount = static_cast<int>(DType::Index) + 1;

std::string_view dtype_name(DType t);        // as programs spell it: BF16, FP32, INT32
std::string_view dtype_short_name(DType t);  // as reports spell it: bf16, f32, i32
std::optional<DType> parse_dtype(std::string_view name);

int bits(DType t);
bool is_float(DType t);
bool is_integer(DType t);  // signed, unsigned and INDEX; not BOOL
bool is_signed(DType t);
// Types that executors can hold in memory; the 4- and 8-bit floats are names only.
bool is_storable(DType t);
// True when the product of two such values is exact in FP32, so mul+add equals fma.
bool product_is_exact_in_f32(DType t);

// Bytes of `count` elements; 4-bit types pack two to a byte.
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
