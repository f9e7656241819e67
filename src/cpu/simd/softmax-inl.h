// The weights of one row of attention scores in two walks over it: one for the maximum, and one
// that scales, subtracts, exponentiates, rounds and sums without going through memory in between.
#if defined(TILEWRIGHT_CPU_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_SOFTMAX_INL
#undef TILEWRIGHT_CPU_SOFTMAX_INL
#else
#define TILEWRIGHT_CPU_SOFTMAX_INL
#endif

#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/rows-inl.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

// What exponential() gives for finite x <= 0, in half the time: no NaN, no overflow, and a result
// in the normal range is scaled by adding to its exponent.
HWY_INLINE V exponential_below_one(V x) {
  const F32 d;
  using namespace exp_constants;
  const V magic = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: adding it rounds to a whole number
  const V shifted = hn::Add(hn::Mul(x, hn::Set(d, kLog2E)), magic);
  const V n = hn::Sub(shifted, magic);
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Lt(n, hn::Set(d, -125.0f))))) return exponential(x);
  const V p = taylor(hn::MulAdd(n, hn::Set(d, -kLn2Low), hn::MulAdd(n, hn::Set(d, -kLn2High), x)));
  const U32 u;
  return hn::BitCast(d, hn::Add(hn::BitCast(u, p), hn::ShiftLeft<23>(hn::BitCast(u, shifted))));
}

// The largest x * scale, and whether all of them are numbers.
struct RowMax {
  float max;
  bool finite;
};
HWY_INLINE RowMax scaled_max(const float* x, float scale, int64_t n) {
  const F32 d;
  const V factor = hn::Set(d, scale);
  const V start = hn::Mul(n < lanes() ? load_tail(x, n) : hn::LoadU(d, x), factor);
  // Four at a time: one alone waits for its own result. A product with zero is zero, or no number.
  V best[4] = {start, start, start, start};
  V zeros[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  const auto add = [&](int64_t v, V numbers) HWY_ATTR {
    const V scaled = hn::Mul(numbers, factor);
    best[v] = hn::Max(best[v], scaled);
    zeros[v] = hn::MulAdd(scaled, hn::Zero(d), zeros[v]);
  };
  int64_t i = 0;
  for (; i + 4 * lanes() <= n; i += 4 * lanes())
#pragma GCC unroll 4
    for (int64_t v = 0; v < 4; ++v) add(v, hn::LoadU(d, x + i + v * lanes()));
  for (; i + lanes() <= n; i += lanes()) add(0, hn::LoadU(d, x + i));
  if (i < n) add(1, load_tail(x + i, n - i));
  const V zero = hn::Add(hn::Add(zeros[0], zeros[1]), hn::Add(zeros[2], zeros[3]));
  const V most = hn::Max(hn::Max(best[0], best[1]), hn::Max(best[2], best[3]));
  return {hn::GetLane(hn::MaxOfLanes(d, most)), hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)))};
}

// The sum of a row's weights: number i belongs to partial sum i % 16, as in row_sum. weights_of(i)
// makes the weights of number i and those that follow, rounded to BF16, and stores them; what is
// left of n is in `buffer`, scaled and without the maximum.
template <class WeightsOf>
HWY_INLINE float sum_of_weights(int64_t n, float* buffer, uint16_t* out, Ahead ahead,
                                const WeightsOf& weights_of) {
  const F32 d;
  constexpr int64_t kVectors = 16 / static_cast<int64_t>(hn::MaxLanes(F32()));
  V sums[kVectors];
#pragma GCC unroll 4
  for (V& s : sums) s = hn::Zero(d);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    ahead.fetch(i / 8);
    ahead.fetch(i / 8 + 1);
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], weights_of(i + v * lanes()));
  }
  alignas(64) float partial[16];
  for (int64_t v = 0; v < kVectors; ++v) hn::Store(sums[v], d, partial + v * lanes());
  if (i < n) {
    unary<kExp>(buffer + i, buffer + i, n - i);
    narrow(buffer + i, out + i, n - i);
    widen(out + i, buffer + i, n - i);
    for (int64_t j = i; j < n; ++j) partial[j - i] += buffer[j];
  }
  return folded(partial);
}

SoftmaxSums softmax_row(const float* x, float scale, int64_t n, float* buffer, uint16_t* out,
                        Stream& stream) {
  const F32 d;
  const Ahead ahead = next_of(stream, n / 8, x);
  const RowMax row = scaled_max(x, scale, n);
  // Zero has two signs, which Max does not tell apart.
  const bool plain = row.finite && row.max != 0;
  const int64_t first = plain ? n / 16 * 16 : 0;  // numbers that need no buffer
  binary<kMul>(x + first, 1, &scale, 0, buffer + first, n - first);
  const float max = plain ? row.max : row_pick<kMax>(buffer, n);
  binary<kSub>(buffer + first, 1, &max, 0, buffer + first, n - first);
  if (!plain)
    return {max, sum_of_weights(n, buffer, out, ahead, [&](int64_t i) HWY_ATTR {
              const auto weights = narrowed(exponential(hn::LoadU(d, buffer + i)));
              hn::StoreU(weights, U16(), out + i);
              return widened(weights);
            })};
  const V factor = hn::Set(d, scale);
  const V most = hn::Set(d, max);
  return {max, sum_of_weights(n, buffer, out, ahead, [&](int64_t i) HWY_ATTR {
            const V scaled = hn::Mul(hn::LoadU(d, x + i), factor);
            const auto rounded = rounded_bits(exponential_below_one(hn::Sub(scaled, most)));
            hn::StoreU(hn::TruncateTo(U16(), hn::ShiftRight<16>(rounded)), U16(), out + i);
            return high_halves(rounded);
          })};
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
