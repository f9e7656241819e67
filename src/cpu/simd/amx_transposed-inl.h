// Products of BF16 in the tile registers of AMX with a right operand that is stored transposed, as
// K lies in a cache. Its rows are left tiles as they are: for a few rows the product is made the
// other way round, as K times Q, and its sums are turned. For many rows blocks of K are brought
// into pairs.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/amx_operands-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"
#include "tilewright/cpu/simd/transposed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

// k that are multiplied at a time.
inline constexpr int64_t kTransposedGroups = 8;

// Sixteen rows of 32-bit numbers, `row` apart, as columns: use(j, column) for the first `count` of
// them, rounded up to four.
template <class Use>
HWY_INLINE void transpose_sixteen(const void* rows, int64_t row, int64_t count, const Use& use) {
  const auto* from = static_cast<const uint32_t*>(rows);
  const hn::ScalableTag<uint32_t> d;
  for (int64_t i = 0; i < count; i += 4) {
    const auto four = [&](int64_t r)
                          HWY_ATTR { return four_of_rows<kSide>(from + r * row + i, 4 * row); };
    interleaved(d, four(0), four(1), four(2), four(3),
                [&](int64_t j, auto v) HWY_ATTR { use(i + j, v); });
  }
}

// A tile of 16 rows of 32 numbers becomes one of pairs.
HWY_INLINE void pair_columns(const void* rows, int64_t row, uint16_t* pairs) {
  const hn::ScalableTag<uint32_t> d;
  auto* out = reinterpret_cast<uint32_t*>(pairs);
  transpose_sixteen(rows, row, kSide,
                    [&](int64_t j, auto v) HWY_ATTR { hn::Store(v, d, out + j * kSide); });
}

// The same of fewer rows or numbers; the rest is zero.
HWY_INLINE void pair_some_columns(const uint16_t* from, int64_t stride, int64_t rows, int64_t count,
                                  uint16_t* pairs) {
  alignas(64) uint16_t full[kTile] = {};
  for (int64_t r = 0; r < rows; ++r) std::copy_n(from + r * stride, count, full + r * kGroupK);
  pair_columns(full, kSide, pairs);
}

// Positions whose sums are made before they are turned: what a tile stores cannot be loaded again
// at once.
inline constexpr int64_t kTurned = 128;

// Up to 32 rows of p as columns of pairs, group after group, first one tile of rows and then the
// other.
HWY_INLINE void pair_left(const LeftBlock& left, int64_t groups, uint16_t* pairs) {
  for (int i = 0; i < 2; ++i)
    for (int64_t g = 0; g < groups && left.rows[i] > 0; ++g)
      pair_some_columns(left.tiles.at[i] + g * left.tiles.step[i], kGroupK, left.rows[i], kGroupK,
                        pairs + (i * groups + g) * kTile);
}

// sums[column][row] of up to 32 rows to c[row][column].
HWY_INLINE void turn(const float* sums, int64_t rows, int64_t cols, float* c, int64_t stride) {
  const hn::ScalableTag<float> d;
  for (int64_t j = 0; j < cols; j += kSide)
    for (int64_t m0 = 0; m0 < rows; m0 += kSide)
      transpose_sixteen(sums + j * 2 * kSide + m0, 2 * kSide, std::min(kSide, rows - m0),
                        [&](int64_t m, auto v) HWY_ATTR {
                          if (m0 + m >= rows) return;
                          float* to = c + (m0 + m) * stride + j;
                          const auto x = hn::BitCast(d, v);
                          if (j + kSide <= cols)
                            hn::StoreU(x, d, to);
                          else
                            hn::BlendedStore(x, hn::FirstN(d, static_cast<std::size_t>(cols - j)),
                                             d, to);
                        });
}

// Up to 32 rows: the rows of b are the left tiles, as they lie, and rows of p are columns of what
// is computed.
template <class Unit>
HWY_INLINE void multiply_turned(const Product& p, const uint16_t* b, int64_t stride,
                                Stream& stream) {
  alignas(64) static thread_local uint16_t pairs[2 * kTransposedGroups * kTile];
  alignas(64) static thread_local float sums[kTurned * 2 * kSide];
  Registers<Unit> registers;
  for (int64_t k0 = 0; k0 < p.depth; k0 += kTransposedGroups * kGroupK) {
    const int64_t groups = groups_of(std::min(kTransposedGroups * kGroupK, p.depth - k0));
    const LeftBlock left(p, 0, k0);
    pair_left(left, groups, pairs);
    const Tiles right{{pairs, pairs + groups * kTile}, {kTile, kTile}};
    const bool fresh = p.fresh && k0 == 0;
    for (int64_t n0 = 0; n0 < p.cols; n0 += kTurned) {
      float* c = p.c + n0;
      const int64_t cols = std::min(kTurned, p.cols - n0);
      for (int64_t m = 0; m < p.rows && !fresh; ++m)
        for (int64_t j = 0; j < cols; ++j) sums[j * 2 * kSide + m] = c[m * p.c_stride + j];
      for (int64_t n = 0; n < cols; n += 2 * kSide) {
        const uint16_t* at = b + (n0 + n) * stride + k0;
        Extents e;
        split(cols - n, e.rows);
        std::copy_n(left.rows, 2, e.cols);
        add_block(registers, e, Tiles{{at, at + kSide * stride}, {kGroupK, kGroupK}, stride * 2},
                  right, groups, {sums + n * 2 * kSide, 2 * kSide, fresh},
                  [&](int64_t) HWY_ATTR { fetch_next(stream, 2 * kSide, p.a); });
      }
      turn(sums, p.rows, cols, c, p.c_stride);
    }
  }
}

// Many rows: blocks of b are brought into pairs.
template <class Unit>
HWY_INLINE void multiply_paired(const Product& p, const uint16_t* b, int64_t stride,
                                Stream& stream) {
  alignas(64) static thread_local uint16_t pairs[2 * kTransposedGroups * kTile];
  Registers<Unit> registers;
  for (int64_t n = 0; n < p.cols; n += 2 * kSide)
    for (int64_t k0 = 0; k0 < p.depth; k0 += kTransposedGroups * kGroupK) {
      const int64_t groups = groups_of(std::min(kTransposedGroups * kGroupK, p.depth - k0));
      const int64_t tiles = (std::min(2 * kSide, p.cols - n) + kSide - 1) / kSide;
      for (int64_t t = 0; t < tiles; ++t)
        for (int64_t g = 0; g < groups; ++g) {
          const int64_t k = k0 + g * kGroupK;
          const int64_t first = n + t * kSide;
          const uint16_t* from = b + first * stride + k;
          uint16_t* to = pairs + (t * groups + g) * kTile;
          fetch_next(stream, kSide, p.a);
          if (stride % 2 == 0 && first + kSide <= p.cols && k + kGroupK <= p.depth)
            pair_columns(from, stride / 2, to);
          else
            pair_some_columns(from, stride, std::min(kSide, p.cols - first),
                              std::min(kGroupK, p.depth - k), to);
        }
      for (int64_t first = 0; first < p.rows; first += 2 * kSide) {
        const LeftBlock left(p, first, k0);
        add_block(registers, left.extents(p.cols - n), left.tiles,
                  Tiles{{pairs, pairs + groups * kTile}, {kTile, kTile}}, groups,
                  {p.c + first * p.c_stride + n, p.c_stride, p.fresh && k0 == 0}, [](int64_t) {});
      }
    }
}

template <class Unit>
void multiply_transposed(const Product& p, const uint16_t* b, int64_t stride, Stream& stream) {
  fetch_first(stream, b, p.cols, stride * 2);
  if (p.rows <= 2 * kSide && p.depth % kGroupK == 0)
    multiply_turned<Unit>(p, b, stride, stream);
  else
    multiply_paired<Unit>(p, b, stride, stream);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
