// Products of BF16 in the tile registers of AMX with packed weights, which lie as the registers
// want a right operand: of a group of 32 k, 16 rows of 16 columns of two k each. A left operand is
// packed in tiles: of every 16 rows, group after group of k, row after row.
#pragma once  // for one target only

#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"

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
  const int64_t lines = (kGroupLines + blocks - 1) / blocks;  // by a block with every group
  for (int64_t g0 = 0; g0 < groups; g0 += kSharedGroups) {
    const int64_t count = std::min(kSharedGroups, groups - g0);
    const uint16_t* from = panel + g0 * kGroup;
    const uint16_t* later = g0 + count < groups ? from + count * kGroup : next;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = block * 2 * kSide;
      const LeftBlock left(p, first, g0 * kGroupK);
      const uint16_t* part = later + block * count * lines * kLine / 2;  // in the order of memory
      add_block(registers, left.extents(p.cols - n), left.tiles,
                {{from, from + kTile}, {kGroup, kGroup}}, count,
                {p.c + first * p.c_stride + n, p.c_stride, p.fresh && g0 == 0},
                [&](int64_t g) HWY_ATTR {
                  for (int64_t line = 0; line < lines; ++line)
                    prefetch_far(part + (g * lines + line) * kLine / 2);
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
