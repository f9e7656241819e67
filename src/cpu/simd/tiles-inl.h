// Register tiles: a few rows of c against two vectors of columns, for a stretch of k. The numbers
// of b are widened to FP32 on the way.
#if defined(TILEWRIGHT_CPU_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_TILES_INL
#undef TILEWRIGHT_CPU_TILES_INL
#else
#define TILEWRIGHT_CPU_TILES_INL
#endif

#include <array>
#include <cstddef>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(F32()));
// The most rows whose accumulators, two vectors each, fit the registers beside two vectors of b: 24
// of 32 registers with AVX-512 and NEON, 12 of 16 with AVX2.
inline constexpr int64_t kMaxRows = HWY_TARGET == HWY_AVX2 ? 6 : 12;
inline constexpr int64_t kStep = 2 * kLanes;  // columns of a register tile
// Whether 16-bit numbers can be stored one by one out of a vector, without arithmetic.
inline constexpr bool kMaskedStores = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
// The most k of a widened block: 160 * 32 numbers are 20 KiB, which stay in L1 with the left rows.
inline constexpr int64_t kDepth = 160;
// k of each of two blocks, one that is multiplied and one that is widened meanwhile. Measured: 48
// and 64 are 4 % slower, 128 and 160 5 to 10 %.
inline constexpr int64_t kPairDepth = 80;
// k of a block that the first of several groups widens for the others: with more rows fewer, so
// that it stays in L1 with its left numbers. Measured with AVX2: 160 k are 1 % slower than 96.
HWY_INLINE int64_t block_depth(int64_t rows) {
  constexpr int64_t kBytes = 18 * 1024;
  const int64_t fits = kBytes / (4 * (rows + kPanel)) / 8 * 8;
  return fits < kDepth ? fits : kDepth;
}
// Bytes ahead of a panel's stream that are fetched into L1 and into L2. The L1 has too few fill
// buffers to cover the latency of DRAM alone; measured, both together read at 97 % of the plain
// reading loop, either alone at 86 to 90 %.
inline constexpr int64_t kNear = 2048;
inline constexpr int64_t kFar = 256 * kPanel * 2;
// Numbers ahead in the left operand that are fetched from L2 into L1.
inline constexpr int64_t kLeftNear = 256;
// Rows of a cache that are used together, and meanwhile as many that follow are fetched into L2, in
// the order of memory: the hardware's own prefetcher then joins in. Measured: 64 and 256 are 4 %
// slower, and fetching in the order columns are used 20 %.
inline constexpr int64_t kChunk = 128;

static_assert(kPanel % kStep == 0);

// ---- register tiles: kRows rows of c against two vectors of columns, for a stretch of k ----

// Makes the compiler compute again what it knows of x. Addresses that it keeps from the beginning
// of a tile to its end travel through vector registers, 4 % of a tile of 80 k.
template <class T>
HWY_INLINE void forget(T& x) {
  asm("" : "+r"(x));
}

// The accumulators of a tile. `second` is the distance of the second vector from the first.
template <int kRows>
struct Tile {
  V acc[kRows][2];

  // Spelled out: one that the compiler adds is not made for the target, and cannot call NEON's.
  HWY_INLINE HWY_ATTR Tile() {}  // NOLINT(modernize-use-equals-default)

  HWY_INLINE void load(const float* c, int64_t stride, int64_t second) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      acc[m][0] = hn::LoadU(F32(), c + m * stride);
      acc[m][1] = hn::LoadU(F32(), c + m * stride + second);
    }
  }
  HWY_INLINE void store(float* c, int64_t stride, int64_t second) const {
    forget(c);
    forget(stride);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      hn::StoreU(acc[m][0], F32(), c + m * stride);
      hn::StoreU(acc[m][1], F32(), c + m * stride + second);
    }
  }
  // `a`: one number of each row.
  HWY_INLINE void add(const float* a, V b0, V b1) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V x = hn::Set(F32(), a[m]);
      acc[m][0] = hn::MulAdd(x, b0, acc[m][0]);
      acc[m][1] = hn::MulAdd(x, b1, acc[m][1]);
    }
  }
};

HWY_INLINE V low_halves(hn::Vec<U32> pairs) { return hn::BitCast(F32(), hn::ShiftLeft<16>(pairs)); }
HWY_INLINE V high_halves(hn::Vec<U32> pairs) {
  return hn::BitCast(F32(), hn::And(pairs, hn::Set(U32(), 0xFFFF0000u)));
}

// One k of a panel as register tiles take it: a vector of columns from `column` on and one of those
// sixteen further.
struct Bf16Columns {
  static constexpr int64_t kStep = 2;  // from a column to the next
  static HWY_INLINE void load(const uint16_t* at, V& b0, V& b1) {
    const auto pairs = hn::Load(U32(), reinterpret_cast<const uint32_t*>(at));
    b0 = low_halves(pairs);
    b1 = high_halves(pairs);
  }
};
struct F16Columns {
  static constexpr int64_t kStep = 1;
  static HWY_INLINE void load(const uint16_t* at, V& b0, V& b1) {
    b0 = widened_f16(at);
    b1 = widened_f16(at + kPanel / 2);
  }
};

// What a tile fetches into L2 while it computes, line by line. (Into L1 it is 2 % slower: it takes
// room from the block. And a line that is fetched twice at once takes a second of the few buffers
struct Ahead {
  const std::byte* from = nullptr;
  HWY_INLINE void fetch(int64_t line) const { prefetch_far(from + line * kLine); }
};
// The next lines of a stream; when it has ended, some that are `near` anyway.
HWY_INLINE Ahead next_of(Stream& stream, int64_t lines, const void* near) {
  const std::byte* from = stream.take(lines * kLine);
  return {from ? from : static_cast<const std::byte*>(near)};
}

// Lines that a tile fetches during four k: two tiles together all of a panel. While scores are
// made, the rest of what is fetched while K is transposed.
inline constexpr int kPanelLines = 2;
inline constexpr int kScoreLines = 3;

// The second numbers of pairs, widened by a store of nothing else: the low halves of `out` are zero
// already. It takes no unit that multiplies.
using Halves = hn::Repartition<uint16_t, U32>;
HWY_INLINE void store_second(hn::Vec<Halves> pairs, float* out) {
  const auto odd = hn::And(hn::Iota(Halves(), 0), hn::Set(Halves(), 1));
  hn::BlendedStore(pairs, hn::Ne(odd, hn::Zero(Halves())), Halves(),
                   reinterpret_cast<uint16_t*>(out));
}

// What a tile widens for the next block while it multiplies: `count` k of a panel, by stores that
// move every second 16-bit number above zeros. They take no unit that multiplies.
struct Widening {
  const uint16_t* from = nullptr;
  float* to = nullptr;  // low halves are zero and stay zero
  int64_t count = 0;

  // A tile of `depth` k gets this many of them done: one before every second k of its own.
  static int64_t share(int64_t depth) { return depth / 4 * 2; }
  HWY_INLINE void before(int64_t k) const { one(from + k * (kPanel / 2), to + k * (kPanel / 2)); }

  static HWY_INLINE void one(const uint16_t* pairs, float* to) {
    // The first number of every pair comes to where the second was: the load begins 2 bytes early,
    // which is less work than a store that begins 2 bytes late.
    store_second(hn::LoadU(Halves(), pairs - 1), to);
    store_second(hn::LoadU(Halves(), pairs), to + kPanel / 2);
  }
  // The same without reading before the pairs.
  static HWY_INLINE void first(const uint16_t* from, float* to) {
    const auto pairs = hn::Load(U32(), reinterpret_cast<const uint32_t*>(from));
    hn::Store(low_halves(pairs), F32(), to);
    hn::Store(high_halves(pairs), F32(), to + kPanel / 2);
  }
};

// By reference into tiles: as an argument it would be stored in halves and loaded whole, which
// waits.
struct Meanwhile {
  Ahead ahead;
  Widening widening;
};

// What four k of a left operand will be, later.
template <int kRows>
HWY_INLINE void fetch_left(const float* a) {
  constexpr int kNumbers = 16;  // of a line
#pragma GCC unroll 3
  for (int i = 0; i < 4 * kRows; i += kNumbers) hwy::Prefetch(a + kLeftNear + i);
}

// k of a tile from `k` on, four at a time: the end of a loop of few trips is foreseen, and lines
// are fetched whole, kLines for four k. b(k, b0, b1) gives the two vectors of one k; beside(k) is
// done before every second k.
template <int kLines, int kRows, class B, class Beside>
HWY_INLINE int64_t add_fours(Tile<kRows>& tile, const float* a, int64_t k, int64_t depth,
                             Ahead ahead, B b, Beside beside) {
  const auto one = [&](int64_t i) HWY_ATTR {
    V b0, b1;
    b(i, b0, b1);
    tile.add(a + i * kRows, b0, b1);
  };
  // Bytes for one k. Known to the compiler, all lines would be fetched at once: 3 % slower.
  int64_t step = kLines * kLine / 4;
  forget(step);
  for (; k + 4 <= depth; k += 4) {
    fetch_left<kRows>(a + k * kRows);
    prefetch_far(ahead.from + k * step);
    beside(k);
    one(k);
    if constexpr (kLines > 2) prefetch_far(ahead.from + k * step + 2 * kLine);
    one(k + 1);
    prefetch_far(ahead.from + (k + 2) * step);
    beside(k + 2);
    one(k + 2);
    one(k + 3);
  }
  return k;
}

// All k of a tile.
template <int kLines, int kRows, class B>
HWY_INLINE void add_all(Tile<kRows>& tile, const float* a, int64_t k, int64_t depth, Ahead ahead,
                        B b) {
  k = add_fours<kLines>(tile, a, k, depth, ahead, b, [](int64_t) {});
  for (; k < depth; ++k) {
    V b0, b1;
    b(k, b0, b1);
    tile.add(a + k * kRows, b0, b1);
  }
}

// b widened: kStep columns of a block with kPanel numbers per k.
template <int kLines, int kRows>
HWY_NOINLINE void block_tile(const float* a, const float* b, int64_t depth, float* c,
                             int64_t c_stride, const Meanwhile& meanwhile) {
  const Meanwhile own = meanwhile;  // a structured binding cannot be captured with Clang 14
  Tile<kRows> tile;
  tile.load(c, c_stride, kLanes);
  const auto vectors = [&](int64_t k, V& b0, V& b1) HWY_ATTR {
    b0 = hn::Load(F32(), b + k * kPanel);
    b1 = hn::Load(F32(), b + k * kPanel + kLanes);
  };
  int64_t k = 0;
  if constexpr (kMaskedStores)
    k = add_fours<kLines>(tile, a, k, 2 * own.widening.count, own.ahead, vectors,
                          [&](int64_t i) HWY_ATTR { own.widening.before(i); });
  add_all<kLines>(tile, a, k, depth, own.ahead, vectors);
  tile.store(c, c_stride, kLanes);
}

// b in a panel. kWide pairs of vectors at once: with few rows each multiply-add would wait for the
// one before. `later` is fetched into L2.
template <class Columns, int kWide, int kRows>
HWY_NOINLINE void panel_tile(const float* a, const uint16_t* b, int64_t depth, float* c,
                             int64_t c_stride, const uint16_t* later) {
  Tile<kRows> tiles[kWide];
#pragma GCC unroll 4
  for (int w = 0; w < kWide; ++w) tiles[w].load(c + w * kLanes, c_stride, kPanel / 2);
  for (int64_t k = 0; k < depth; ++k) {
    const uint16_t* at = b + k * kPanel;
    hwy::Prefetch(reinterpret_cast<const std::byte*>(at) + kNear);
    prefetch_far(later + k * kPanel);
#pragma GCC unroll 4
    for (int w = 0; w < kWide; ++w) {
      V b0, b1;
      Columns::load(at + w * kLanes * Columns::kStep, b0, b1);
      tiles[w].add(a + k * kRows, b0, b1);
    }
  }
#pragma GCC unroll 4
  for (int w = 0; w < kWide; ++w) tiles[w].store(c + w * kLanes, c_stride, kPanel / 2);
}

// The same, and the widened numbers are left in a block for the other rows: widening, stores and
// waiting for memory hide behind the multiply-adds of these.
template <class Columns, int kRows>
HWY_NOINLINE void widening_tile(const float* a, const uint16_t* b, int64_t depth, float* c,
                                int64_t c_stride, float* block, Ahead ahead) {
  Tile<kRows> tile;
  tile.load(c, c_stride, kPanel / 2);
  add_all<kPanelLines>(tile, a, 0, depth, ahead, [&](int64_t k, V& b0, V& b1) HWY_ATTR {
    Columns::load(b + k * kPanel, b0, b1);
    hn::Store(b0, F32(), block + k * kPanel);
    hn::Store(b1, F32(), block + k * kPanel + kPanel / 2);
  });
  tile.store(c, c_stride, kPanel / 2);
}

// Lines that are fetched during four k. With more rows memory has time to spare elsewhere: a
// quarter is fetched by what comes before.
template <int kSteps>
constexpr int64_t rows_lines() {
  return kSteps == 1 ? 3 : 8;
}

// b in BF16 rows: a vector of pairs is the even and the odd ones of 2 * kLanes columns, so the
// accumulators are taken apart and put together around the loop. With few rows, kSteps vectors of
// pairs: or each multiply-add would wait for the one before.
template <int kRows, int kSteps>
HWY_NOINLINE void rows_tile(const float* a, const uint16_t* b, int64_t b_stride, int64_t depth,
                            float* c, int64_t c_stride, Ahead ahead) {
  Tile<kRows> tiles[kSteps];
#pragma GCC unroll 2
  for (int s = 0; s < kSteps; ++s)
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m)
      hn::LoadInterleaved2(F32(), c + m * c_stride + s * kStep, tiles[s].acc[m][0],
                           tiles[s].acc[m][1]);
  constexpr int64_t kLines = rows_lines<kSteps>();
  const auto one = [&](int64_t k, int s) HWY_ATTR {
    const auto* row = reinterpret_cast<const uint32_t*>(b + k * b_stride);
    const auto pairs = hn::LoadU(U32(), row + s * kLanes);
    tiles[s].add(a + k * kRows, low_halves(pairs), high_halves(pairs));
  };
  int64_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    const Ahead now{ahead.from + k * (kLines * kLine / 4)};
#pragma GCC unroll 8
    for (int i = 0; i < 4 * kSteps; ++i) {
      if (i < kLines) now.fetch(i);
      one(k + i / kSteps, i % kSteps);
    }
  }
  for (; k < depth; ++k)
#pragma GCC unroll 2
    for (int s = 0; s < kSteps; ++s) one(k, s);
#pragma GCC unroll 2
  for (int s = 0; s < kSteps; ++s)
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m)
      hn::StoreInterleaved2(tiles[s].acc[m][0], tiles[s].acc[m][1], F32(),
                            c + m * c_stride + s * kStep);
}

// A tile by its number of rows.
template <int kLines, std::size_t... kIndex>
constexpr auto block_tiles(std::index_sequence<kIndex...>) {
  return std::array{block_tile<kLines, static_cast<int>(kIndex) + 1>...};
}
// Vectors of pairs of a panel that a tile of some rows has registers for: 1, 2 or 4.
constexpr int panel_width(int64_t rows) {
  int64_t wide = kPanel / 2 / kLanes;
  while (wide > 1 && wide * rows > kMaxRows) wide /= 2;
  return static_cast<int>(wide);
}
template <class Columns, std::size_t... kIndex>
constexpr auto panel_tiles(std::index_sequence<kIndex...>) {
  return std::array{panel_tile<Columns, panel_width(kIndex + 1), static_cast<int>(kIndex) + 1>...};
}
template <class Columns, std::size_t... kIndex>
constexpr auto widening_tiles(std::index_sequence<kIndex...>) {
  return std::array{widening_tile<Columns, static_cast<int>(kIndex) + 1>...};
}
template <int kSteps, std::size_t... kIndex>
constexpr auto rows_tiles(std::index_sequence<kIndex...>) {
  return std::array{rows_tile<static_cast<int>(kIndex) + 1, kSteps>...};
}
inline constexpr std::make_index_sequence<kMaxRows> kRowCounts;
inline constexpr auto kBlockTiles = block_tiles<kPanelLines>(kRowCounts);
inline constexpr auto kScoreTiles = block_tiles<kScoreLines>(kRowCounts);
template <class Columns>
inline constexpr auto kPanelTiles = panel_tiles<Columns>(kRowCounts);
template <class Columns>
inline constexpr auto kWideningTiles = widening_tiles<Columns>(kRowCounts);
inline constexpr auto kRowsTiles = rows_tiles<1>(kRowCounts);
inline constexpr int64_t kFewRows = kMaxRows / 3;
inline constexpr auto kWideRowsTiles = rows_tiles<2>(std::make_index_sequence<kFewRows>());

template <class Tiles>
HWY_INLINE auto tile_for(const Tiles& tiles, int64_t rows) {
  return tiles[static_cast<std::size_t>(rows - 1)];
}

// Rows of c that are computed together; bounds the buffer of a narrow panel.
inline constexpr int64_t kRowBlock = 48;
static_assert(kRowBlock % kMaxRows == 0);
inline constexpr int64_t kGroupStep = kMaxRows % 4 == 0 ? 4 : 2;
static_assert(kMaxRows % kGroupStep == 0);

// Up to kRowBlock rows in as few groups as possible, none above kMaxRows; all but the last have a
// multiple of kGroupStep rows, which are packed four at a time.
class Groups {
 public:
  explicit Groups(int64_t rows) : count_((rows + kMaxRows - 1) / kMaxRows) {
    const int64_t size = ((rows + count_ - 1) / count_ + kGroupStep - 1) / kGroupStep * kGroupStep;
    for (int64_t g = 0; g <= count_; ++g) first_[g] = g * size < rows ? g * size : rows;
  }
  int64_t count() const { return count_; }
  int64_t all_rows() const { return first_[count_]; }
  int64_t first(int64_t g) const { return first_[g]; }
  int64_t rows(int64_t g) const { return first_[g + 1] - first_[g]; }

 private:
  int64_t count_;
  int64_t first_[kRowBlock / kMaxRows + 1];
};

// Rows in blocks of nearly equal size, none above kRowBlock: visit(first row, groups of the block).
template <class Visit>
HWY_INLINE void each_row_block(int64_t rows, Visit visit) {
  const int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t first = rows * i / blocks;
    visit(first, Groups(rows * (i + 1) / blocks - first));
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
