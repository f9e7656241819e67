// Products of BF16 by the dot product of AVX-512 (vdpbf16ps), which adds two products to each sum:
// of a pair, first that of the upper halves, then that of the lower ones, each by one fma to which
// subnormal numbers are zero. Pairs have the smaller k in the upper half, so this is the chain in
// ascending k of every other table, to the bit.
//
// The code is the same for the instruction and for a model of it, two fma, by which tests run it on
// machines without the instruction.
#pragma once  // for one target only

#include <algorithm>
#include <array>
#include <utility>

#include "hwy/highway.h"
#include "tilewright/base/flush_mode.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/left-inl.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::dots {

using Pairs = hn::Vec<U32>;

struct Instruction {
  // The instruction has the rule built in.
  struct Mode {
    HWY_INLINE Mode() {}  // NOLINT(modernize-use-equals-default)
  };
  static HWY_INLINE V add(V sum, Pairs a, Pairs b) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
};
struct Model {
  using Mode = FlushMode;
  static HWY_INLINE V add(V sum, Pairs a, Pairs b) {
    sum = hn::MulAdd(high_halves(a), high_halves(b), sum);
    return hn::MulAdd(low_halves(a), low_halves(b), sum);
  }
};

inline constexpr int64_t kPair = 2 * kPanel;  // numbers of one pair of k of a panel: two lines
static_assert(2 * kLanes == kPanel && kPair * 2 == 2 * kLine);

HWY_INLINE int64_t pairs_of(int64_t depth) { return (depth + 1) / 2; }
HWY_INLINE Product in_pairs(const Product& p) {
  Product pairs = p;
  pairs.depth = pairs_of(p.depth);
  return pairs;
}
HWY_INLINE void start_sums(const Product& p) {
  if (!p.fresh) return;
  for (int64_t m = 0; m < p.rows; ++m) std::fill_n(p.c + m * p.c_stride, p.cols, 0.0f);
}
// Pairs of a block that a right operand is brought into: 8 KiB.
inline constexpr int64_t kBlockPairs = 64;
// What fills up the last pair of an odd depth: left operands have -0 there, right ones +0. Their
// product, -0, changes no sum, not even a sum of -0.
inline constexpr uint32_t kNoLeft = 0x8000, kNoRight = 0;
HWY_INLINE uint32_t pair(uint32_t first, uint32_t second) { return first << 16 | second; }
// Two numbers as they lie in memory.
HWY_INLINE uint32_t pair_at(const uint16_t* x) { return pair(x[0], x[1]); }
HWY_INLINE auto swapped(auto pairs) { return hn::RotateRight<16>(pairs); }

// ---- the left operand: its pairs lie as the numbers of other tables do ----

// Four rows become columns of out[i * rows + 0..3]; see interleave_four.
HWY_INLINE void pair_four(const uint16_t* x, int64_t stride, int64_t pairs, int64_t rows,
                          uint32_t* out) {
  const hn::CappedTag<uint32_t, 4> d;
  int64_t i = 0;
  for (; i + 4 <= pairs; i += 4) {
    const auto row = [&](int64_t m) HWY_ATTR {
      const auto* from = reinterpret_cast<const uint32_t*>(x + m * stride + 2 * i);
      return swapped(hn::LoadU(d, from));
    };
    interleaved(d, row(0), row(1), row(2), row(3),
                [&](int64_t j, auto v) HWY_ATTR { hn::StoreU(v, d, out + (i + j) * rows); });
  }
  for (; i < pairs; ++i)
    for (int64_t m = 0; m < 4; ++m) out[i * rows + m] = pair_at(x + m * stride + 2 * i);
}

HWY_INLINE void pair_group(const uint16_t* x, int64_t stride, int64_t n, int64_t rows,
                           uint32_t* out) {
  const int64_t whole = n / 2;
  if (n % 2 != 0)
    for (int64_t m = 0; m < rows; ++m) out[whole * rows + m] = pair(x[m * stride + n - 1], kNoLeft);
  if (rows < 4) {
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t i = 0; i < whole; ++i) out[i * rows + m] = pair_at(x + m * stride + 2 * i);
    return;
  }
  constexpr int64_t kPart = 128;  // all rows of it while it is in L1
  for (int64_t i = 0; i < whole; i += kPart)
    for (int64_t m = 0; m < rows; m += 4) {
      const int64_t first = m + 4 <= rows ? m : rows - 4;  // the last four may be packed twice
      pair_four(x + first * stride + 2 * i, stride, std::min(kPart, whole - i), rows,
                out + i * rows + first);
    }
}

void pack_left(const uint16_t* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  each_row_block(to.rows, [&](int64_t block, const Groups& groups) {
    for (int64_t g = 0; g < groups.count(); ++g) {
      const int64_t first = block + groups.first(g);
      const int64_t rows = groups.rows(g);
      auto* out = reinterpret_cast<uint32_t*>(to.data) + first * pairs_of(to.depth) + k / 2 * rows;
      pair_group(x + first * stride, stride, n, rows, out);
    }
  });
}

// ---- register tiles: kRows rows of c against all columns of a panel ----

// `later` is fetched into L2: as much as there is of b when the panel streams by, which also gets
// near then; else `lines`, at most one for a pair.
template <class Unit, bool kStreams, int kRows>
HWY_NOINLINE void dot_tile(const float* a, const uint16_t* b, int64_t pairs, float* c,
                           int64_t c_stride, const uint16_t* later, int64_t lines) {
  const auto* left = reinterpret_cast<const uint32_t*>(a);
  Tile<kRows> tile;
  tile.load(c, c_stride, kLanes);
  for (int64_t i = 0; i < pairs; ++i) {
    const uint16_t* at = b + i * kPair;
    if constexpr (kStreams) {
      const auto* bytes = reinterpret_cast<const std::byte*>(at);
      hwy::Prefetch(bytes + kNear);
      hwy::Prefetch(bytes + kNear + kLine);
      prefetch_far(later + i * kPair);
      prefetch_far(later + i * kPair + kPanel);
    } else if (i < lines) {
      prefetch_far(later + i * kPanel);
    }
    const Pairs b0 = hn::Load(U32(), reinterpret_cast<const uint32_t*>(at));
    const Pairs b1 = hn::Load(U32(), reinterpret_cast<const uint32_t*>(at + kPanel));
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const Pairs x = hn::Set(U32(), left[i * kRows + m]);
      tile.acc[m][0] = Unit::add(tile.acc[m][0], x, b0);
      tile.acc[m][1] = Unit::add(tile.acc[m][1], x, b1);
    }
  }
  tile.store(c, c_stride, kLanes);
}

template <class Unit, bool kStreams, std::size_t... kIndex>
constexpr auto dot_tiles(std::index_sequence<kIndex...>) {
  return std::array{dot_tile<Unit, kStreams, static_cast<int>(kIndex) + 1>...};
}
template <class Unit, bool kStreams>
inline constexpr auto kDotTiles = dot_tiles<Unit, kStreams>(kRowCounts);

// What the instruction can do at best; see fma_rounds.
template <class Unit>
float product_rounds(int64_t rounds) {
  const typename Unit::Mode mode;
  constexpr int kChains = 12;
  V acc[kChains];
  for (int i = 0; i < kChains; ++i) acc[i] = hn::Set(F32(), static_cast<float>(i));
  const Pairs x = hn::Set(U32(), 0x3F7F3F7Fu);
  const Pairs y = hn::Set(U32(), 0x3DCD3DCDu);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= 2 * kChains * kLanes) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = Unit::add(acc[i], x, y);
  }
  for (int i = 1; i < kChains; ++i) acc[0] = hn::Add(acc[0], acc[i]);
  return hn::GetLane(acc[0]);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::dots
HWY_AFTER_NAMESPACE();
