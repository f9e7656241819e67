// Left rows as small integers, for products with encoded weights.
#if defined(TILEWRIGHT_CPU_ENCODED_LEFT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ENCODED_LEFT_INL
#undef TILEWRIGHT_CPU_ENCODED_LEFT_INL
#else
#define TILEWRIGHT_CPU_ENCODED_LEFT_INL
#endif

#include <bit>
#include <cmath>
#include <limits>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/encoded_sums-inl.h"

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

// As quantise_block_plain. Whole chunks at a time, so that blocks do not wait for each other's
// divisions.
HWY_INLINE int32_t largest_magnitude(const float* x) {
  const auto magnitude = hn::Set(I32(), 0x7FFFFFFF);
  auto most = hn::Zero(I32());
  for (int64_t i = 0; i < kLeftBlock; i += lanes())
    most = hn::Max(most, hn::And(hn::BitCast(I32(), hn::LoadU(F32(), x + i)), magnitude));
  return hn::GetLane(hn::MaxOfLanes(I32(), most));
}

// The factor of a block's numbers: 0 where all codes are.
HWY_INLINE float factor_of(int32_t largest_bits, float& scale) {
  const auto largest = std::bit_cast<float>(largest_bits);
  const float reciprocal = 127.0f / largest;
  const bool finite = largest_bits < 0x7F800000;
  const bool usable = finite && std::isfinite(reciprocal);
  scale = !finite ? std::numeric_limits<float>::quiet_NaN() : usable ? largest / 127.0f : 0.0f;
  return usable ? reciprocal : 0.0f;
}

HWY_INLINE void quantise_block(const float* x, float factor, int8_t* codes, int32_t* sums) {
  const hn::Rebind<int8_t, F32> i8;
  for (int64_t half = 0; half < 2; ++half) {
    auto sum = hn::Zero(I32());
    for (int64_t i = half * 16; i < half * 16 + 16; i += lanes()) {
      auto code = hn::Zero(I32());
      if (factor != 0)  // infinities and NaNs times 0 are no codes
        code = hn::NearestInt(hn::Mul(hn::LoadU(F32(), x + i), hn::Set(F32(), factor)));
      sum = hn::Add(sum, code);
      hn::StoreU(hn::DemoteTo(i8, code), i8, codes + i);
    }
    sums[half] = hn::GetLane(hn::SumOfLanes(I32(), sum));
  }
}

void quantise_rows(const float* x, int64_t stride, int64_t rows, int64_t n, QuantisedChunk* to) {
  for (int64_t m = 0; m < rows; ++m, x += stride) {
    QuantisedChunk& chunk = to[m];
    if (n < kLeftChunk) chunk = {};
    const int64_t blocks = n / kLeftBlock;
    int32_t largest[kLeftChunk / kLeftBlock];
    float factors[kLeftChunk / kLeftBlock];
    for (int64_t b = 0; b < blocks; ++b) largest[b] = largest_magnitude(x + b * kLeftBlock);
    for (int64_t b = 0; b < blocks; ++b) factors[b] = factor_of(largest[b], chunk.scales[b]);
    for (int64_t b = 0; b < blocks; ++b)
      quantise_block(x + b * kLeftBlock, factors[b], chunk.codes + b * kLeftBlock,
                     chunk.sums + b * (kLeftBlock / kSmallestPart));
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
