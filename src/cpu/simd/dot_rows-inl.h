// Products of BF16 whose right operand lies in rows of n, as V lies in a cache, for rows that fit
// one tile: two rows are brought into pairs in registers, since each pair is used once.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/dots-inl.h"
#include "tilewright/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::dots {

// The sums of 32 columns in the order in which rows become pairs: an instruction interleaves
// within 16 bytes, so the first vector has columns 0 to 3, 8 to 11, 16 to 19 and 24 to 27.
template <int kRows>
struct InterleavedTile {
  V acc[kRows][2];

  HWY_INLINE HWY_ATTR InterleavedTile() {}  // NOLINT(modernize-use-equals-default)

  HWY_INLINE void load(const float* c, int64_t stride) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const __m512 first = hn::LoadU(F32(), c + m * stride).raw;
      const __m512 second = hn::LoadU(F32(), c + m * stride + kLanes).raw;
      acc[m][0] = V{_mm512_shuffle_f32x4(first, second, 0x88)};
      acc[m][1] = V{_mm512_shuffle_f32x4(first, second, 0xDD)};
    }
  }
  HWY_INLINE void store(float* c, int64_t stride) const {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const __m512 first = _mm512_shuffle_f32x4(acc[m][0].raw, acc[m][1].raw, 0x44);
      const __m512 second = _mm512_shuffle_f32x4(acc[m][0].raw, acc[m][1].raw, 0xEE);
      hn::StoreU(V{_mm512_shuffle_f32x4(first, first, 0xD8)}, F32(), c + m * stride);
      hn::StoreU(V{_mm512_shuffle_f32x4(second, second, 0xD8)}, F32(), c + m * stride + kLanes);
    }
  }
};

// `depth` rows of b from L2, of which 32 columns each are used; for every two, kLines lines of what
// is read later are fetched.
template <class Unit, int kRows>
HWY_NOINLINE void rows_dot_tile(const float* a, const uint16_t* b, int64_t stride, int64_t depth,
                                float* c, int64_t c_stride, Ahead ahead) {
  const hn::ScalableTag<uint16_t> d;
  constexpr int64_t kNearRows = 24;
  const auto* left = reinterpret_cast<const uint32_t*>(a);
  InterleavedTile<kRows> tile;
  tile.load(c, c_stride);
  const auto add = [&](const uint32_t* x, auto row, auto later) HWY_ATTR {
    const auto first = hn::BitCast(U32(), hn::InterleaveLower(d, later, row));
    const auto second = hn::BitCast(U32(), hn::InterleaveUpper(d, later, row));
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const Pairs repeated = hn::Set(U32(), x[m]);
      tile.acc[m][0] = Unit::add(tile.acc[m][0], repeated, first);
      tile.acc[m][1] = Unit::add(tile.acc[m][1], repeated, second);
    }
  };
  int64_t k = 0;
  for (; k + 2 <= depth; k += 2, b += 2 * stride, left += kRows) {
    hwy::Prefetch(b + kNearRows * stride);
    hwy::Prefetch(b + (kNearRows + 1) * stride);
    ahead.fetch(k);
    ahead.fetch(k + 1);
    add(left, hn::LoadU(d, b), hn::LoadU(d, b + stride));
  }
  if (k < depth) add(left, hn::LoadU(d, b), hn::Zero(d));
  tile.store(c, c_stride);
}

template <class Unit, std::size_t... kIndex>
constexpr auto rows_dot_tiles(std::index_sequence<kIndex...>) {
  return std::array{rows_dot_tile<Unit, static_cast<int>(kIndex) + 1>...};
}
template <class Unit>
inline constexpr auto kRowsDotTiles = rows_dot_tiles<Unit>(kRowCounts);

HWY_INLINE bool reads_rows_once(const Product& p) {
  return p.rows <= kMaxRows && p.cols % kPanel == 0;
}

// Rows of b in the order of memory: all columns of some before the next.
template <class Unit>
void multiply_rows_once(const Product& p, const uint16_t* b, int64_t stride, Stream& stream) {
  [[maybe_unused]] const typename Unit::Mode mode;
  const auto tile = tile_for(kRowsDotTiles<Unit>, p.rows);
  for (int64_t k = 0; k < p.depth; k += 2 * kBlockPairs) {
    const int64_t depth = std::min(2 * kBlockPairs, p.depth - k);
    for (int64_t n = 0; n < p.cols; n += kPanel)
      tile(p.a + k / 2 * p.rows, b + k * stride + n, stride, depth, p.c + n, p.c_stride,
           next_of(stream, depth, p.a));
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::dots
HWY_AFTER_NAMESPACE();
