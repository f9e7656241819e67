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

HWY_INLINE void copy_row(const float* x, int64_t n, float* out) { std::copy_n(x, n, out); }
HWY_INLINE void copy_row(const uint16_t* x, int64_t n, float* out) { widen(x, out, n); }

// A vector of four rows' numbers of one k, or of two k in BF16, which becomes FP32 when it is put
// above sixteen zero bits.
HWY_INLINE void store_four(hn::Vec<hn::CappedTag<float, 4>> v, int64_t, float* out) {
  hn::StoreU(v, hn::CappedTag<float, 4>(), out);
}
HWY_INLINE void store_four(hn::Vec<hn::CappedTag<uint16_t, 8>> v, int64_t rows, float* out) {
  const hn::CappedTag<uint16_t, 8> d;
  const hn::Repartition<float, decltype(d)> floats;
  const auto zero = hn::Zero(d);
  hn::StoreU(hn::BitCast(floats, hn::InterleaveLower(d, zero, v)), floats, out);
  hn::StoreU(hn::BitCast(floats, hn::InterleaveUpper(d, zero, v)), floats, out + rows);
}

// Four rows become columns of out[i * rows + 0..3]. In vectors of 16 bytes: two of their shuffles
// run in a cycle, of wider ones only one.
template <class T>
HWY_INLINE void interleave_four(const T* x, int64_t stride, int64_t n, int64_t rows, float* out) {
  constexpr int64_t kCount = 16 / sizeof(T);
  const hn::CappedTag<T, kCount> d;
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount)
    interleaved(d, hn::LoadU(d, x + i), hn::LoadU(d, x + stride + i),
                hn::LoadU(d, x + 2 * stride + i), hn::LoadU(d, x + 3 * stride + i),
                [&](int64_t j, auto v)
                    HWY_ATTR { store_four(v, rows, out + (i + j * (kCount / 4)) * rows); });
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
  // A part of k at a time: all rows of it are put side by side while it is in L1.
  constexpr int64_t kPart = 256;
  for (int64_t i = 0; i < n; i += kPart)
    for (int64_t m = 0; m < rows; m += 4) {
      const int64_t first = m + 4 <= rows ? m : rows - 4;  // the last four may be packed twice
      interleave_four(x + first * stride + i, stride, std::min(kPart, n - i), rows,
                      out + i * rows + first);
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

template <class Visit>
HWY_INLINE void each_block_of(const Product& whole, Visit visit) {
  each_row_block(whole.rows, [&](int64_t first, const Groups& groups) {
    Product p = whole;
    p.a += first * p.depth;
    p.c += first * p.c_stride;
    p.rows = groups.all_rows();
    visit(p, groups);
  });
}

// The left numbers of a group from k on.
HWY_INLINE const float* left_of(const Product& p, const Groups& groups, int64_t g, int64_t k) {
  return p.a + groups.first(g) * p.depth + k * groups.rows(g);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
