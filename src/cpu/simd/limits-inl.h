// What the machine can do at best, for benchmarks: multiply-adds in registers, and reading memory.
#if defined(TILEWRIGHT_CPU_LIMITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_LIMITS_INL
#undef TILEWRIGHT_CPU_LIMITS_INL
#else
#define TILEWRIGHT_CPU_LIMITS_INL
#endif

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "tilewright/cpu/simd/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

// Twelve chains hide the latency of an fma on two ports, and leave AVX2 registers for operands.
float fma_rounds(int64_t rounds) {
  const F32 d;
  constexpr int kChains = 12;
  V acc[kChains];
  for (int i = 0; i < kChains; ++i) acc[i] = hn::Set(d, static_cast<float>(i));
  const V x = hn::Set(d, 0.999f);
  const V y = hn::Set(d, 0.1f);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= kChains * lanes()) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = hn::MulAdd(acc[i], x, y);
  }
  for (int i = 1; i < kChains; ++i) acc[0] = hn::Add(acc[0], acc[i]);
  return hn::GetLane(acc[0]);
}

uint64_t read_all(const std::byte* data, int64_t bytes) {
  const U32 d;
  constexpr int64_t kAhead = 4096;
  auto a = hn::Zero(d);
  auto b = a;
  for (int64_t i = 0; i + 256 <= bytes; i += 256) {
    for (int64_t line = 0; line < 256; line += 64) hwy::Prefetch(data + i + kAhead + line);
    const auto* words = reinterpret_cast<const uint32_t*>(data + i);
    for (int64_t w = 0; w < 64; w += 2 * lanes()) {
      a = hn::Or(a, hn::LoadU(d, words + w));
      b = hn::Or(b, hn::LoadU(d, words + w + lanes()));
    }
  }
  return hn::GetLane(hn::Or(a, b));
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
