// Products of signed bytes in the tile registers of AMX. A row of a panel's quads is a row of a
// right tile as it lies, and left rows are rows of left tiles. Sums are exact modulo 2^32, so the
// bits are those of every other table.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/bytes.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

inline constexpr int64_t kByteGroup = kSide * kQuad;  // k of a group
// Groups that all rows use one after the other, as for BF16: 64 KiB of a panel.
inline constexpr int64_t kSharedByteGroups = 32;

// Up to 32 rows, k from k0 on: `groups` of `fours` quads each.
template <class Unit>
HWY_INLINE void add_byte_groups(Registers<Unit>& registers, const ByteProduct& p, int64_t first,
                                int64_t n, const int8_t* panel, int64_t k0, int64_t groups,
                                int64_t fours) {
  Extents e;
  split(p.rows - first, e.rows);
  split(p.cols - n, e.cols);
  e.fours = fours;
  const int8_t* left = p.left + first * p.left_stride + k0;
  const int8_t* right = panel + k0 * kPanel;
  constexpr int64_t kStep = kByteGroup * kPanel;
  auto* c = reinterpret_cast<float*>(p.c + first * p.c_stride + n);  // only moved
  add_block(registers, e,
            TilesOf<SignedBytes>{{left, left + kSide * p.left_stride},
                                 {kByteGroup, kByteGroup},
                                 p.left_stride},
            TilesOf<SignedBytes>{{right, right + kSide * kQuad}, {kStep, kStep}, kQuadRow}, groups,
            {c, p.c_stride, false}, [&](int64_t g) HWY_ATTR {
              // The panel itself, some groups ahead; its end is followed by the next panel.
              constexpr int64_t kAhead = 8;
              const int8_t* later = right + (g + kAhead) * kStep;
              if (first == 0)
                for (int64_t at = 0; at < kStep; at += 64) prefetch_far(later + at);
            });
}

template <class Unit>
void multiply_bytes(const ByteProduct& p) {
  Registers<Unit> registers;
  for (int64_t n = 0; n < p.cols; n += kPanel) {
    const int8_t* panel = p.panels + n / kPanel * p.panel_stride;
    const int64_t whole = p.depth / kByteGroup;
    for (int64_t g = 0; g < whole; g += kSharedByteGroups)
      for (int64_t first = 0; first < p.rows; first += 2 * kSide)
        add_byte_groups(registers, p, first, n, panel, g * kByteGroup,
                        std::min(kSharedByteGroups, whole - g), kSide);
    const int64_t rest = p.depth % kByteGroup / kQuad;
    for (int64_t first = 0; rest > 0 && first < p.rows; first += 2 * kSide)
      add_byte_groups(registers, p, first, n, panel, whole * kByteGroup, 1, rest);
  }
}

// What the tiles can do at best with bytes; see amx_limit-inl.h.
template <class Unit>
float integer_rounds(int64_t rounds) {
  alignas(64) int8_t numbers[2 * kSide * kTileBytes];
  for (int64_t i = 0; i < 2 * kSide * kTileBytes; ++i) numbers[i] = static_cast<int8_t>(i * 79);
  alignas(64) float sums[kSide * kSide] = {};
  Registers<Unit> registers;
  registers.use({});
  load_sums<Unit, 1, 1>({sums, kSide});
  Unit::template clear<1>();
  Unit::template clear<2>();
  Unit::template clear<3>();
  Unit::template load<kLeft>(numbers, kTileBytes);
  Unit::template load<kLeft + 1>(numbers + kSide * kTileBytes, kTileBytes);
  Unit::template load<kRight>(numbers, kTileBytes);
  Unit::template load<kRight + 1>(numbers + kSide * kTileBytes, kTileBytes);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= 4 * kSide * kSide * kByteGroup) {
    Unit::template add_bytes<0, kLeft, kRight>();
    Unit::template add_bytes<1, kLeft, kRight + 1>();
    Unit::template add_bytes<2, kLeft + 1, kRight>();
    Unit::template add_bytes<3, kLeft + 1, kRight + 1>();
  }
  store_sums<Unit, 1, 1>({sums, kSide});
  return sums[0];
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
