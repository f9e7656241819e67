// The one rule for sums of products of two BF16 numbers: each product is added by one fma to which
// subnormal numbers are zero. Operands, the sum before and the sum after keep their sign when they
// become zero. A sum is subnormal if it is below 2^-126 after it has been rounded to 24 bits, as if
// there were no smallest exponent. So do the dot products of x86 (vdpbf16ps), and fma with its
// modes FTZ and DAZ; only x86 rounds first, so for others the rule is spelled out here.
//
// Products of all other types know no such rule: their fma keeps subnormal numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tilewright {

// Zero of the same sign for a subnormal number.
inline float flushed(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  constexpr uint32_t kExponent = 0x7F800000u, kSign = 0x80000000u;
  return (bits & kExponent) == 0 ? std::bit_cast<float>(bits & kSign) : x;
}

// sum + x * y of BF16 numbers x and y, in the default modes of the processor.
inline float add_bf16_product(float sum, float x, float y) {
  x = flushed(x);
  y = flushed(y);
  sum = flushed(sum);
  const float r = std::fma(x, y, sum);
  constexpr float kSmallest = std::numeric_limits<float>::min();
  const float size = std::fabs(r);
  if (size != kSmallest) return size < kSmallest ? flushed(r) : r;
  // Perhaps it is 2^-126 only because subnormal numbers are 2^-149 apart: with 24 bits, numbers
  // just below 2^-126 are half as far apart. The sum of doubles decides it, since it is exact where
  // the two differ: a product has 16 bits.
  const double exact = static_cast<double>(x) * static_cast<double>(y) + static_cast<double>(sum);
  return std::fabs(exact) < 0x1p-126 - 0x1p-151 ? std::copysign(0.0f, r) : r;
}

}  // namespace tilewright
