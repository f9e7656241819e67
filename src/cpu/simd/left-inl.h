// The left operand of products as register tiles read it: group by group, and of a group all rows
// of one k side by side. A tile then reads one stream instead of one per row: sixteen rows are
// multiplied with weights from memory at 86 % of peak instead of 82.
#if defined(TILEWRIGHT_CPU_LEFT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_LEFT_INL
#undef TILEWRIGHT_CPU_LEFT_INL
#else
#define TILEWRIGHT_CPU_LEFT_INL
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

HWY_INLINE float number(float x) { return x; }
HWY_INLINE float number(uint16_t bf16) { return hwy::F32FromBF16(hwy::bfloat16_t{bf16}); }
HWY_INLINE void copy_row(const float* x, int64_t n, float* out) { std::copy_n(x, n, out); }
HWY_INLINE void copy_row(const uint16_t* x, int64_t n, float* out) { widen(x, out, n); }

// Four rows become columns of out[i * rows + 0..3]. In vectors of four: two of their shuffles run
// in a cycle, of wider ones only one.
HWY_INLINE void interleave_four(const float* x, int64_t stride, int64_t n, int64_t rows,
                                float* out) {
  const hn::CappedTag<float, 4> d;
  const hn::Repartition<uint64_t, decltype(d)> pairs;
  const auto as_pairs = [&](auto v) HWY_ATTR { return hn::BitCast(pairs, v); };
  const auto store = [&](auto v, float* to) HWY_ATTR { hn::StoreU(hn::BitCast(d, v), d, to); };
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const auto r0 = hn::LoadU(d, x + i);
    const auto r1 = hn::LoadU(d, x + stride + i);
    const auto r2 = hn::LoadU(d, x + 2 * stride + i);
    const auto r3 = hn::LoadU(d, x + 3 * stride + i);
    const auto low01 = as_pairs(hn::InterleaveLower(d, r0, r1));
    const auto low23 = as_pairs(hn::InterleaveLower(d, r2, r3));
    const auto high01 = as_pairs(hn::InterleaveUpper(d, r0, r1));
    const auto high23 = as_pairs(hn::InterleaveUpper(d, r2, r3));
    store(hn::InterleaveLower(pairs, low01, low23), out + i * rows);
    store(hn::InterleaveUpper(pairs, low01, low23), out + (i + 1) * rows);
    store(hn::InterleaveLower(pairs, high01, high23), out + (i + 2) * rows);
    store(hn::InterleaveUpper(pairs, high01, high23), out + (i + 3) * rows);
  }
  for (; i < n; ++i)
    for (int64_t m = 0; m < 4; ++m) out[i * rows + m] = number(x[m * stride + i]);
}

// The same for BF16, which becomes FP32 when it is put above sixteen zero bits.
HWY_INLINE void interleave_four(const uint16_t* x, int64_t stride, int64_t n, int64_t rows,
                                float* out) {
  const hn::CappedTag<uint16_t, 8> d;
  const hn::Repartition<uint32_t, decltype(d)> pairs;
  const hn::Repartition<float, decltype(d)> floats;
  const auto zero = hn::Zero(d);
  const auto as_pairs = [&](auto v) HWY_ATTR { return hn::BitCast(pairs, v); };
  // Four rows of two k, in the order of the result.
  const auto store = [&](auto two_k, float* to) HWY_ATTR {
    const auto v = hn::BitCast(d, two_k);
    hn::StoreU(hn::BitCast(floats, hn::InterleaveLower(d, zero, v)), floats, to);
    hn::StoreU(hn::BitCast(floats, hn::InterleaveUpper(d, zero, v)), floats, to + rows);
  };
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto r0 = hn::LoadU(d, x + i);
    const auto r1 = hn::LoadU(d, x + stride + i);
    const auto r2 = hn::LoadU(d, x + 2 * stride + i);
    const auto r3 = hn::LoadU(d, x + 3 * stride + i);
    const auto low01 = as_pairs(hn::InterleaveLower(d, r0, r1));
    const auto low23 = as_pairs(hn::InterleaveLower(d, r2, r3));
    const auto high01 = as_pairs(hn::InterleaveUpper(d, r0, r1));
    const auto high23 = as_pairs(hn::InterleaveUpper(d, r2, r3));
    store(hn::InterleaveLower(pairs, low01, low23), out + i * rows);
    store(hn::InterleaveUpper(pairs, low01, low23), out + (i + 2) * rows);
    store(hn::InterleaveLower(pairs, high01, high23), out + (i + 4) * rows);
    store(hn::InterleaveUpper(pairs, high01, high23), out + (i + 6) * rows);
  }
  for (; i < n; ++i)
    for (int64_t m = 0; m < 4; ++m) out[i * rows + m] = number(x[m * stride + i]);
}

HWY_INLINE V vector_of(const float* x) { return hn::LoadU(F32(), x); }
HWY_INLINE V vector_of(const uint16_t* x) { return widened(hn::LoadU(U16(), x)); }

template <class T>
HWY_INLINE void interleave_two(const T* x, int64_t stride, int64_t n, float* out) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes())
    hn::StoreInterleaved2(vector_of(x + i), vector_of(x + stride + i), F32(), out + 2 * i);
  for (; i < n; ++i) {
    out[2 * i] = number(x[i]);
    out[2 * i + 1] = number(x[stride + i]);
  }
}

template <class T>
HWY_INLINE void pack_group(const T* x, int64_t stride, int64_t n, int64_t rows, float* out) {
  if (rows == 1) return copy_row(x, n, out);
  if (rows == 2) return interleave_two(x, stride, n, out);
  if (rows < 4) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t m = 0; m < rows; ++m) out[i * rows + m] = number(x[m * stride + i]);
    return;
  }
  for (int64_t m = 0; m < rows; m += 4) {
    const int64_t first = m + 4 <= rows ? m : rows - 4;  // the last four may be packed twice
    interleave_four(x + first * stride, stride, n, rows, out + first);
  }
}

template <class T>
HWY_INLINE void pack_groups(const T* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  each_row_block(to.rows, [&](int64_t block, const Groups& groups) {
    for (int64_t g = 0; g < groups.count(); ++g) {
      const int64_t first = block + groups.first(g);
      const int64_t rows = groups.rows(g);
      pack_group(x + first * stride, stride, n, rows, to.data + first * to.depth + k * rows);
    }
  });
}

void pack_left(const float* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  pack_groups(x, stride, k, n, to);
}
void pack_left_bf16(const uint16_t* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  pack_groups(x, stride, k, n, to);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
