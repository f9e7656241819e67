// The weights of one row of attention scores in two walks over it: one for the maximum, and one
// that subtracts, exponentiates, rounds and sums without going through memory in between.
#if defined(TILEWRIGHT_CPU_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_SOFTMAX_INL
#undef TILEWRIGHT_CPU_SOFTMAX_INL
#else
#define TILEWRIGHT_CPU_SOFTMAX_INL
#endif

#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

SoftmaxSums softmax_row(const float* x, float scale, int64_t n, float* buffer, uint16_t* out,
                        const std::byte* ahead) {
  const F32 d;
  binary<kMul>(x, 1, &scale, 0, buffer, n);
  const float max = row_pick<kMax>(buffer, n);
  const V most = hn::Set(d, max);
  // Number i belongs to partial sum i % 16, as in row_sum.
  constexpr int64_t kVectors = 16 / static_cast<int64_t>(hn::MaxLanes(F32()));
  V sums[kVectors];
  for (V& s : sums) s = hn::Zero(d);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    prefetch_far(ahead + i * 8);
    prefetch_far(ahead + i * 8 + 64);
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      const int64_t at = i + v * lanes();
      const auto weights = narrowed(exponential(hn::Sub(hn::LoadU(d, buffer + at), most)));
      hn::StoreU(weights, U16(), out + at);
      sums[v] = hn::Add(sums[v], widened(weights));
    }
  }
  alignas(64) float partial[16];
  for (int64_t v = 0; v < kVectors; ++v) hn::Store(sums[v], d, partial + v * lanes());
  if (i < n) {
    binary<kSub>(buffer + i, 1, &max, 0, buffer + i, n - i);
    unary<kExp>(buffer + i, buffer + i, n - i);
    narrow(buffer + i, out + i, n - i);
    widen(out + i, buffer + i, n - i);
    for (int64_t j = i; j < n; ++j) partial[j - i] += buffer[j];
  }
  return {max, folded(partial)};
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
