// Products of BF16 in the tile registers of AMX with packed weights, which lie as the registers
// want a right operand: of a group of 32 k, 16 rows of 16 columns of two k each.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/amx_operands-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

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
template <class Unit>
HWY_INLINE void stream_panel(Registers<Unit>& registers, const Product& p, int64_t n,
                             const uint16_t* panel, const uint16_t* next) {
  const int64_t groups = groups_of(p.depth);
  const LeftBlock left(p, 0, 0);
  add_block(registers, left.extents(p.cols - n), left.tiles,
            Tiles{{panel, panel + kTile}, {kGroup, kGroup}}, groups, {p.c + n, p.c_stride, p.fresh},
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
template <class Unit>
HWY_INLINE void share_panel(Registers<Unit>& registers, const Product& p, int64_t n,
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
                Tiles{{from, from + kTile}, {kGroup, kGroup}}, count,
                {p.c + first * p.c_stride + n, p.c_stride, p.fresh && g0 == 0},
                [&](int64_t g) HWY_ATTR {
                  for (int64_t line = 0; line < lines; ++line)
                    prefetch_far(part + (g * lines + line) * kLine / 2);
                });
    }
  }
}

template <class Unit>
void multiply_panels(const Product& p, const uint16_t* b, int64_t panel_stride,
                     const uint16_t* after) {
  Registers<Unit> registers;
  for (int64_t n = 0; n < p.cols; n += kPanel) {
    const uint16_t* panel = b + n / kPanel * panel_stride;
    const uint16_t* next = n + kPanel < p.cols ? panel + panel_stride : after;
    if (p.rows <= 2 * kSide)
      stream_panel(registers, p, n, panel, next);
    else
      share_panel(registers, p, n, panel, next);
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
