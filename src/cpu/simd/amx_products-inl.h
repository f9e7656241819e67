// Products of BF16 numbers in the tile registers of AMX.
//
// A left operand lies in tiles: of every 16 rows, group after group of 32 k, row after row. A right
// operand is wanted in pairs: of a group, 16 rows of 16 columns of two k. Packed weights lie like
// that; rows of V are interleaved; rows of K are left tiles as they are, so scores of a few rows
// are made the other way round, as K times Q.
#pragma once  // for one target only

#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"
#include "tilewright/cpu/simd/transposed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

// ---- left operands ----

void pack_left(const uint16_t* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  const int64_t padded = groups_of(to.depth) * kGroupK;
  auto* tiles = reinterpret_cast<uint16_t*>(to.data);
  const int64_t end = k + n == to.depth ? padded : k + n;  // zeros up to the end of the group
  for (int64_t first = 0; first < to.rows; first += kSide) {
    const int64_t rows = std::min(kSide, to.rows - first);
    for (int64_t i = k; i < end;) {
      const int64_t group = i / kGroupK;
      const int64_t within = i % kGroupK;
      const int64_t count = std::min(kGroupK - within, end - i);
      const int64_t real = std::clamp<int64_t>(k + n - i, 0, count);
      uint16_t* out = tiles + first * padded + group * rows * kGroupK + within;
      for (int64_t m = 0; m < rows; ++m, out += kGroupK) {
        if (real == kGroupK) {
          std::memcpy(out, x + (first + m) * stride + i - k, kGroupK * 2);
        } else {
          std::copy_n(x + (first + m) * stride + i - k, real, out);
          std::fill_n(out + real, count - real, uint16_t{0});
        }
      }
      i += count;
    }
  }
}

// Up to 32 rows of a packed left operand from `first` on.
struct LeftBlock {
  Tiles tiles;
  int64_t rows[2];

  HWY_INLINE LeftBlock(const Product& p, int64_t first, int64_t k0) {
    split(p.rows - first, rows);
    const int64_t padded = groups_of(p.depth) * kGroupK;
    const auto* a = reinterpret_cast<const uint16_t*>(p.a);
    for (int i = 0; i < 2; ++i) {
      tiles.step[i] = rows[i] * kGroupK;
      tiles.at[i] = a + (first + i * kSide) * padded + k0 / kGroupK * tiles.step[i];
    }
  }
  // With as many columns.
  HWY_INLINE Extents extents(int64_t cols) const {
    Extents e;
    std::copy_n(rows, 2, e.rows);
    split(cols, e.cols);
    return e;
  }
};

// ---- packed weights ----

inline constexpr int64_t kGroup = kGroupK * kPanel;  // numbers of a panel's group
inline constexpr int64_t kGroupLines = kGroup * 2 / kLine;
// Groups ahead of a panel's stream that are fetched.
inline constexpr int64_t kGroupsAhead = 8;
// Groups of a panel that several blocks of rows use one after the other. 64 KiB come from L2 every
// time, but with 16 groups, which stay in L1, loading and storing sums costs more: 1320 instead of
// 1460 GF/s of one thread, 2290 of them at best.
inline constexpr int64_t kSharedGroups = 32;

// One block of rows: the panel streams by, and what is fetched is the panel itself, some groups
// ahead, and then the next.
HWY_INLINE void stream_panel(Registers& registers, const Product& p, int64_t n,
                             const uint16_t* panel, const uint16_t* next) {
  const int64_t groups = groups_of(p.depth);
  const LeftBlock left(p, 0, 0);
  add_block(registers, left.extents(p.cols - n), left.tiles,
            {{panel, panel + kTile}, {kGroup, kGroup}}, groups, {p.c + n, p.c_stride, p.fresh},
            [&](int64_t g) HWY_ATTR {
              const int64_t ahead = g + kGroupsAhead;
              const uint16_t* from =
                  ahead < groups ? panel + ahead * kGroup : next + (ahead - groups) * kGroup;
#pragma GCC unroll 32
              for (int64_t line = 0; line < kGroupLines; ++line)
                __builtin_prefetch(from + line * kLine / 2, 0, 3);
            });
}

// Many rows: a few groups of the panel for all of them, while the next few are fetched.
HWY_INLINE void share_panel(Registers& registers, const Product& p, int64_t n,
                            const uint16_t* panel, const uint16_t* next) {
  const int64_t groups = groups_of(p.depth);
  const int64_t blocks = (p.rows + 2 * kSide - 1) / (2 * kSide);
  const int64_t lines = (kGroupLines + blocks - 1) / blocks;  // of a group, by every block
  for (int64_t g0 = 0; g0 < groups; g0 += kSharedGroups) {
    const int64_t count = std::min(kSharedGroups, groups - g0);
    const uint16_t* from = panel + g0 * kGroup;
    const uint16_t* later = g0 + count < groups ? from + count * kGroup : next;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = block * 2 * kSide;
      const LeftBlock left(p, first, g0 * kGroupK);
      const uint16_t* lines_of = later + block * lines * kLine / 2;
      add_block(registers, left.extents(p.cols - n), left.tiles,
                {{from, from + kTile}, {kGroup, kGroup}}, count,
                {p.c + first * p.c_stride + n, p.c_stride, p.fresh && g0 == 0},
                [&](int64_t g) HWY_ATTR {
                  for (int64_t line = 0; line < lines; ++line)
                    prefetch_far(lines_of + g * kGroup + line * kLine / 2);
                });
    }
  }
}

void multiply_panels(const Product& p, const uint16_t* b, int64_t panel_stride,
                     const uint16_t* after) {
  Registers registers;
  for (int64_t n = 0; n < p.cols; n += kPanel) {
    const uint16_t* panel = b + n / kPanel * panel_stride;
    const uint16_t* next = n + kPanel < p.cols ? panel + panel_stride : after;
    if (p.rows <= 2 * kSide)
      stream_panel(registers, p, n, panel, next);
    else
      share_panel(registers, p, n, panel, next);
  }
}

// ---- right operands in rows ----

// Fetches the first rows of a right operand if nobody has, line after line: the hardware's own
// prefetcher then joins in, as it does not when tiles are loaded, 16 rows side by side.
inline constexpr int64_t kRowsAhead = 2 * kSide;
HWY_INLINE void fetch_first(Stream& stream, const uint16_t* b, int64_t rows, int64_t row_bytes) {
  if (stream.from != reinterpret_cast<const std::byte*>(b)) return;
  const int64_t lines = std::min(rows, kRowsAhead) * row_bytes / kLine;
  const Ahead ahead = next_of(stream, lines, b);
  for (int64_t line = 0; line < lines; ++line) ahead.fetch(line);
}

// k and columns of a right operand that are brought into pairs at a time: 32 KiB.
inline constexpr int64_t kChunkGroups = 4;
inline constexpr int64_t kChunkTiles = 8;

// Sixteen numbers of rows k and k + 1, or `count` of them, beside each other.
template <bool kWhole>
HWY_INLINE void interleave_rows(const uint16_t* even, const uint16_t* odd, int64_t count,
                                uint16_t* out) {
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const auto row = [&](const uint16_t* from) HWY_ATTR {
    if constexpr (kWhole) return hn::PromoteTo(d, hn::LoadU(half, from));
    const auto some = hn::FirstN(half, static_cast<std::size_t>(count));
    return hn::PromoteTo(d, hn::MaskedLoad(some, half, from));
  };
  hn::Store(hn::Or(row(even), hn::ShiftLeft<16>(row(odd))), d, reinterpret_cast<uint32_t*>(out));
}

// Rows of b as tiles of pairs, group after group; k from `depth` on is zero.
HWY_INLINE void pair_rows(const uint16_t* b, int64_t stride, int64_t depth, int64_t cols,
                          Stream& stream, const void* near, uint16_t* pairs) {
  alignas(64) static constexpr uint16_t kZeros[kChunkTiles * kSide] = {};
  const int64_t whole = cols / kSide;
  const int64_t tiles = (cols + kSide - 1) / kSide;
  for (int64_t k = 0; k < depth; k += 2) {
    const Ahead ahead = next_of(stream, tiles, near);
    const uint16_t* even = b + k * stride;
    const uint16_t* odd = k + 1 < depth ? even + stride : kZeros;
    uint16_t* out = pairs + k / kGroupK * tiles * kTile + k % kGroupK * kSide;
    for (int64_t t = 0; t < whole; ++t) {
      ahead.fetch(t);
      interleave_rows<true>(even + t * kSide, odd + t * kSide, kSide, out + t * kTile);
    }
    if (whole < tiles)
      interleave_rows<false>(even + whole * kSide, odd + whole * kSide, cols - whole * kSide,
                             out + whole * kTile);
  }
  for (int64_t k = depth + depth % 2; k % kGroupK != 0; k += 2)
    for (int64_t t = 0; t < tiles; ++t)
      std::fill_n(pairs + (k / kGroupK * tiles + t) * kTile + k % kGroupK * kSide, kGroupK,
                  uint16_t{0});
}

void multiply_rows(const Product& p, const uint16_t* b, int64_t stride, Stream& stream) {
  alignas(64) static thread_local uint16_t pairs[kChunkGroups * kChunkTiles * kTile];
  Registers registers;
  fetch_first(stream, b, p.depth, stride * 2);
  for (int64_t n0 = 0; n0 < p.cols; n0 += kChunkTiles * kSide) {
    const int64_t cols = std::min(kChunkTiles * kSide, p.cols - n0);
    const int64_t step = (cols + kSide - 1) / kSide * kTile;
    for (int64_t k0 = 0; k0 < p.depth; k0 += kChunkGroups * kGroupK) {
      const int64_t depth = std::min(kChunkGroups * kGroupK, p.depth - k0);
      pair_rows(b + k0 * stride + n0, stride, depth, cols, stream, p.a, pairs);
      for (int64_t first = 0; first < p.rows; first += 2 * kSide) {
        const LeftBlock left(p, first, k0);
        for (int64_t n = 0; n < cols; n += 2 * kSide) {
          const uint16_t* tile = pairs + n / kSide * kTile;
          add_block(registers, left.extents(cols - n), left.tiles,
                    {{tile, tile + kTile}, {step, step}}, groups_of(depth),
                    {p.c + first * p.c_stride + n0 + n, p.c_stride, p.fresh && k0 == 0},
                    [](int64_t) {});
        }
      }
    }
  }
}

// ---- right operands stored transposed ----

// k that are multiplied at a time.
inline constexpr int64_t kTransposedGroups = 8;

// Sixteen rows of 32-bit numbers as columns: the first `count` of them, rounded up to four. Rows
// lie `row` apart, columns `column`.
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

// Few rows: the rows of b are the left tiles, and p.rows are columns of what is computed.
HWY_INLINE void multiply_turned(const Product& p, const uint16_t* b, int64_t stride,
                                Stream& stream) {
  alignas(64) static thread_local uint16_t pairs[2 * kTransposedGroups * kTile];
  alignas(64) static thread_local float sums[2 * kSide * 2 * kSide];
  const hn::ScalableTag<float> d;
  Registers registers;
  for (int64_t first = 0; first < p.rows; first += 2 * kSide)
    for (int64_t k0 = 0; k0 < p.depth; k0 += kTransposedGroups * kGroupK) {
      const int64_t groups = groups_of(std::min(kTransposedGroups * kGroupK, p.depth - k0));
      const LeftBlock left(p, first, k0);
      for (int i = 0; i < 2; ++i)
        for (int64_t g = 0; g < groups && left.rows[i] > 0; ++g) {
          alignas(64) uint16_t full[kTile] = {};
          std::copy_n(left.tiles.at[i] + g * left.tiles.step[i], left.rows[i] * kGroupK, full);
          pair_columns(full, kSide, pairs + (i * groups + g) * kTile);
        }
      const Tiles right{{pairs, pairs + groups * kTile}, {kTile, kTile}};
      const int64_t rows = std::min(2 * kSide, p.rows - first);
      for (int64_t n = 0; n < p.cols; n += 2 * kSide) {
        const uint16_t* at = b + n * stride + k0;
        const Tiles positions{{at, at + kSide * stride}, {kGroupK, kGroupK}, stride * 2};
        Extents e;
        split(p.cols - n, e.rows);
        std::copy_n(left.rows, 2, e.cols);
        float* c = p.c + first * p.c_stride + n;
        const int64_t cols = std::min(2 * kSide, p.cols - n);
        const bool fresh = p.fresh && k0 == 0;
        for (int64_t m = 0; m < rows && !fresh; ++m)
          for (int64_t j = 0; j < cols; ++j) sums[j * 2 * kSide + m] = c[m * p.c_stride + j];
        add_block(registers, e, positions, right, groups, {sums, 2 * kSide, fresh},
                  [&](int64_t) HWY_ATTR {
                    const Ahead ahead = next_of(stream, 2 * kSide, p.a);
                    for (int64_t line = 0; line < 2 * kSide; ++line) ahead.fetch(line);
                  });
        for (int64_t j = 0; j < cols; j += kSide)
          for (int64_t m0 = 0; m0 < rows; m0 += kSide)
            transpose_sixteen(sums + j * 2 * kSide + m0, 2 * kSide, std::min(kSide, rows - m0),
                              [&](int64_t m, auto v) HWY_ATTR {
                                if (m0 + m >= rows) return;
                                float* to = c + (m0 + m) * p.c_stride + j;
                                const auto x = hn::BitCast(d, v);
                                if (j + kSide <= cols)
                                  hn::StoreU(x, d, to);
                                else
                                  hn::BlendedStore(
                                      x, hn::FirstN(d, static_cast<std::size_t>(cols - j)), d, to);
                              });
      }
    }
}

// Many rows: blocks of b are brought into pairs.
HWY_INLINE void multiply_paired(const Product& p, const uint16_t* b, int64_t stride,
                                Stream& stream) {
  alignas(64) static thread_local uint16_t pairs[2 * kTransposedGroups * kTile];
  Registers registers;
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
          const Ahead ahead = next_of(stream, kSide, p.a);
          for (int64_t line = 0; line < kSide; ++line) ahead.fetch(line);
          if (stride % 2 == 0 && first + kSide <= p.cols && k + kGroupK <= p.depth) {
            pair_columns(from, stride / 2, to);
          } else {
            alignas(64) uint16_t full[kTile] = {};
            for (int64_t r = 0; r < std::min(kSide, p.cols - first); ++r)
              std::copy_n(from + r * stride, std::min(kGroupK, p.depth - k), full + r * kGroupK);
            pair_columns(full, kSide, to);
          }
        }
      for (int64_t first = 0; first < p.rows; first += 2 * kSide) {
        const LeftBlock left(p, first, k0);
        add_block(registers, left.extents(p.cols - n), left.tiles,
                  {{pairs, pairs + groups * kTile}, {kTile, kTile}}, groups,
                  {p.c + first * p.c_stride + n, p.c_stride, p.fresh && k0 == 0}, [](int64_t) {});
      }
    }
}

void multiply_transposed(const Product& p, const uint16_t* b, int64_t stride, Stream& stream) {
  fetch_first(stream, b, p.cols, stride * 2);
  // Turning sums takes a step for every 16 rows, bringing b into pairs one for every 32 k.
  const bool few = (p.rows + kSide - 1) / kSide <= groups_of(p.depth);
  if (few && p.depth % kGroupK == 0)
    multiply_turned(p, b, stride, stream);
  else
    multiply_paired(p, b, stride, stream);
}

// ---- the limit ----

float product_rounds(int64_t rounds) {
  // Zeros would be multiplied faster than numbers are.
  alignas(64) uint16_t numbers[2 * kTile];
  for (int64_t i = 0; i < 2 * kTile; ++i) numbers[i] = static_cast<uint16_t>(0x3F80 + i * 79 % 128);
  alignas(64) float sums[kSide * kSide] = {};
  Registers registers;
  registers.use({});
  load_sums<1, 1>({sums, kSide});
  clear<1>();
  clear<2>();
  clear<3>();
  load<kLeft>(numbers, kTileBytes);
  load<kLeft + 1>(numbers + kTile, kTileBytes);
  load<kRight>(numbers, kTileBytes);
  load<kRight + 1>(numbers + kTile, kTileBytes);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= 4 * kTile * kSide) {
    add_product<0, kLeft, kRight>();
    add_product<1, kLeft, kRight + 1>();
    add_product<2, kLeft + 1, kRight>();
    add_product<3, kLeft + 1, kRight + 1>();
  }
  store_sums<1, 1>({sums, kSide});
  return sums[0];
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
