// Rows of FP32 numbers for one instruction set. Included once per target by vector.cc.
#if defined(TILEWRIGHT_CPU_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ROWS_INL
#undef TILEWRIGHT_CPU_ROWS_INL
#else
#define TILEWRIGHT_CPU_ROWS_INL
#endif

#include <cmath>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/exp.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

HWY_INLINE V widened(hn::Vec<U16> bits) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(hn::PromoteTo(U32(), bits)));
}

// Exact, subnormal numbers too.
HWY_INLINE V widened_f16(hn::Vec<U16> bits) {
  return hn::PromoteTo(F32(), hn::BitCast(F16(), bits));
}
HWY_INLINE V widened_f16(const uint16_t* x) { return widened_f16(hn::LoadU(U16(), x)); }

// Round to nearest even in integers: the converting instructions flush small numbers to zero. The
// upper halves are the result; of a NaN they are not.
HWY_INLINE hn::Vec<U32> rounded_bits(V x) {
  const U32 u;
  const auto bits = hn::BitCast(u, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1));
  return hn::Add(bits, hn::Add(odd, hn::Set(u, 0x7FFF)));
}
HWY_INLINE hn::Vec<U16> narrowed(V x) {
  const U32 u;
  const auto quiet = hn::Or(hn::BitCast(u, x), hn::Set(u, 0x400000));
  const auto is_nan = hn::RebindMask(u, hn::IsNaN(x));
  const auto bits = hn::IfThenElse(is_nan, quiet, rounded_bits(x));
  return hn::TruncateTo(U16(), hn::ShiftRight<16>(bits));
}

HWY_INLINE float number(float x) { return x; }
HWY_INLINE float number(uint16_t bf16) { return hwy::F32FromBF16(hwy::bfloat16_t{bf16}); }
HWY_INLINE float number_f16(uint16_t f16) {
  float x = 0;
  plain_kernels().widen_f16(&f16, &x, 1);
  return x;
}

// Four rows as columns, in every 16 bytes of the vectors: use(j, v) for j = 0 .. 3, where v has the
// j-th quarter of r0, r1, r2 and r3, element beside element.
template <class D, class Use>
HWY_INLINE void interleaved(D d, hn::Vec<D> r0, hn::Vec<D> r1, hn::Vec<D> r2, hn::Vec<D> r3,
                            Use use) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
  use(0, hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)));
  use(1, hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)));
  use(2, hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)));
  use(3, hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)));
}

void widen(const uint16_t* x, float* out, int64_t n) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes())
    hn::StoreU(widened(hn::LoadU(U16(), x + i)), F32(), out + i);
  if (i < n) plain_kernels().widen(x + i, out + i, n - i);
}

void widen_f16(const uint16_t* x, float* out, int64_t n) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) hn::StoreU(widened_f16(x + i), F32(), out + i);
  if (i < n) plain_kernels().widen_f16(x + i, out + i, n - i);
}

void narrow(const float* x, uint16_t* out, int64_t n) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes())
    hn::StoreU(narrowed(hn::LoadU(F32(), x + i)), U16(), out + i);
  if (i < n) plain_kernels().narrow(x + i, out + i, n - i);
}

void narrow_f16(const float* x, uint16_t* out, int64_t n) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes())
    hn::StoreU(hn::BitCast(U16(), hn::DemoteTo(F16(), hn::LoadU(F32(), x + i))), U16(), out + i);
  if (i < n) plain_kernels().narrow_f16(x + i, out + i, n - i);
}

// NaN wins, +0 is above -0: the order of operands does not matter.
HWY_INLINE V larger(V a, V b) {
  V r = hn::IfThenElse(hn::Gt(a, b), a, b);
  r = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), r);
  return hn::IfThenElse(hn::IsNaN(a), a, r);
}
HWY_INLINE V smaller(V a, V b) {
  V r = hn::IfThenElse(hn::Lt(a, b), a, b);
  r = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), r);
  return hn::IfThenElse(hn::IsNaN(a), a, r);
}

template <Binary kOp>
HWY_INLINE V combined(V a, V b) {
  if constexpr (kOp == kAdd) return hn::Add(a, b);
  if constexpr (kOp == kSub) return hn::Sub(a, b);
  if constexpr (kOp == kMul) return hn::Mul(a, b);
  if constexpr (kOp == kDiv) return hn::Div(a, b);
  if constexpr (kOp == kMax) return larger(a, b);
  if constexpr (kOp == kMin) return smaller(a, b);
  if constexpr (kOp == kRight) return b;
}

// The last few numbers of a row, in a whole vector: what fills it up is computed and dropped.
HWY_INLINE V load_tail(const float* x, int64_t n) {
  alignas(64) float buffer[16];
  for (int64_t i = 0; i < lanes(); ++i) buffer[i] = x[i < n ? i : 0];
  return hn::Load(F32(), buffer);
}
HWY_INLINE void store_tail(V v, float* out, int64_t n) {
  alignas(64) float buffer[16];
  hn::Store(v, F32(), buffer);
  for (int64_t i = 0; i < n; ++i) out[i] = buffer[i];
}

template <Binary kOp>
void binary(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n) {
  const F32 d;
  int64_t i = 0;
  if (a_step != 0 && b_step != 0) {
    for (; i + lanes() <= n; i += lanes())
      hn::StoreU(combined<kOp>(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  } else if (a_step != 0) {
    const V repeated = hn::Set(d, *b);
    for (; i + lanes() <= n; i += lanes())
      hn::StoreU(combined<kOp>(hn::LoadU(d, a + i), repeated), d, out + i);
  } else {
    const V repeated = hn::Set(d, *a);
    const V other = hn::Set(d, *b);  // b_step may be 0 too
    for (; i + lanes() <= n; i += lanes())
      hn::StoreU(combined<kOp>(repeated, b_step != 0 ? hn::LoadU(d, b + i) : other), d, out + i);
  }
  if (i == n) return;
  const V x = a_step != 0 ? load_tail(a + i, n - i) : hn::Set(d, *a);
  const V y = b_step != 0 ? load_tail(b + i, n - i) : hn::Set(d, *b);
  store_tail(combined<kOp>(x, y), out + i, n - i);
}

void mix_rows(float* x, float a, const float* y, float b, int64_t n) {
  const F32 d;
  const V va = hn::Set(d, a);
  const V vb = hn::Set(d, b);
  const auto mixed = [&](V old, V block) HWY_ATTR {
    return hn::Add(hn::Mul(old, va), hn::Mul(block, vb));
  };
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes())
    hn::StoreU(mixed(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  if (i < n) store_tail(mixed(load_tail(x + i, n - i), load_tail(y + i, n - i)), x + i, n - i);
}

// 2^e for e in the normal range.
HWY_INLINE V power_of_two(hn::Vec<I32> e) {
  return hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(e, hn::Set(I32(), 127))));
}

// e^r for small r.
HWY_INLINE V taylor(V r) {
  V p = hn::Set(F32(), exp_constants::kTaylor[0]);
  for (std::size_t i = 1; i < exp_constants::kTaylor.size(); ++i)
    p = hn::MulAdd(p, r, hn::Set(F32(), exp_constants::kTaylor[i]));
  return p;
}

HWY_INLINE V exponential(V x) {
  const F32 d;
  using namespace exp_constants;
  // The constants first: the order of operands decides that a NaN stays one.
  const V clamped = hn::Min(hn::Max(x, hn::Set(d, kLowest)), hn::Set(d, kHighest));
  const V n = hn::Round(hn::Mul(clamped, hn::Set(d, kLog2E)));
  V r = hn::MulAdd(n, hn::Set(d, -kLn2High), clamped);
  r = hn::MulAdd(n, hn::Set(d, -kLn2Low), r);
  const V p = taylor(r);
  const auto whole = hn::ConvertTo(I32(), n);
  const auto half = hn::ShiftRight<1>(whole);
  const V y = hn::Mul(hn::Mul(p, power_of_two(half)), power_of_two(hn::Sub(whole, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <Unary kOp>
HWY_INLINE V applied(V x) {
  if constexpr (kOp == kNeg) return hn::Neg(x);
  if constexpr (kOp == kAbs) return hn::Abs(x);
  if constexpr (kOp == kExp) return exponential(x);
  if constexpr (kOp == kSqrt) return hn::Sqrt(x);
  if constexpr (kOp == kRecip) return hn::Div(hn::Set(F32(), 1.0f), x);
}

template <Unary kOp>
void unary(const float* x, float* out, int64_t n) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes())
    hn::StoreU(applied<kOp>(hn::LoadU(F32(), x + i)), F32(), out + i);
  if (i < n) store_tail(applied<kOp>(load_tail(x + i, n - i)), out + i, n - i);
}

// Sixteen partial sums: the upper half is added to the lower until one is left.
HWY_INLINE float folded(float* partial) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) partial[i] += partial[i + half];
  return partial[0];
}

float row_sum(const float* x, int64_t n) {
  const F32 d;
  alignas(64) float partial[16] = {};
  const int64_t whole = n / 16 * 16;
  for (int64_t lane = 0; lane < 16; lane += lanes()) {
    V sum = hn::Zero(d);
    for (int64_t i = lane; i < whole; i += 16) sum = hn::Add(sum, hn::LoadU(d, x + i));
    hn::Store(sum, d, partial + lane);
  }
  for (int64_t i = whole; i < n; ++i) partial[i - whole] += x[i];
  return folded(partial);
}

template <Binary kOp>
float row_pick(const float* x, int64_t n) {
  const F32 d;
  // Four at a time: one alone waits for its own result.
  V best[4];
  for (V& b : best) b = n < lanes() ? load_tail(x, n) : hn::LoadU(d, x);
  int64_t i = 0;
  for (; i + 4 * lanes() <= n; i += 4 * lanes())
#pragma GCC unroll 4
    for (int64_t v = 0; v < 4; ++v)
      best[v] = combined<kOp>(best[v], hn::LoadU(d, x + i + v * lanes()));
  for (; i + lanes() <= n; i += lanes()) best[0] = combined<kOp>(best[0], hn::LoadU(d, x + i));
  if (i < n) best[1] = combined<kOp>(best[1], load_tail(x + i, n - i));
  best[0] = combined<kOp>(combined<kOp>(best[0], best[1]), combined<kOp>(best[2], best[3]));
  // Halves against halves; picking does not depend on the order.
  alignas(64) float buffer[32] = {};
  for (int64_t half = lanes() / 2; half > 0; half /= 2) {
    hn::Store(best[0], d, buffer);
    best[0] = combined<kOp>(best[0], hn::LoadU(d, buffer + half));
  }
  return hn::GetLane(best[0]);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
