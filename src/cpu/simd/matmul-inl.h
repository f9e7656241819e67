// Products for one instruction set. A tile of accumulators stays in registers for a block of k; the
// numbers of b are widened to FP32 on the way, either straight into registers (few rows) or once
// into a block in L1 that every group of rows then reads. An accumulator that is stored between
// blocks loses nothing: each element is one chain of fma in ascending k.
#if defined(TILEWRIGHT_CPU_MATMUL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_MATMUL_INL
#undef TILEWRIGHT_CPU_MATMUL_INL
#else
#define TILEWRIGHT_CPU_MATMUL_INL
#endif

#include <algorithm>
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
// k of a widened block: 160 * 32 numbers are 20 KiB; with what is fetched for the next block and the
// left rows, L1 is well filled. Measured: 128 and 192 within 3 %, 256 12 % slower.
inline constexpr int64_t kDepth = 160;
// Bytes ahead of a panel's stream that are fetched into L1 and into L2. The L1 has too few fill
// buffers to cover the latency of DRAM alone; measured, both together read at 97 % of the plain
// reading loop, either alone at 86 to 90 %.
inline constexpr int64_t kNear = 2048;
inline constexpr int64_t kFar = 16384;
// Into L2. A block of a KV cache is followed by the next one, so products with rows of a cache
// fetch as far ahead as they are long, in the order of memory: the hardware's own prefetcher then
// joins in. Fetched in the order their columns are used, rows from DRAM were multiplied at 65 % of
// peak instead of 81.
HWY_INLINE void prefetch_far(const void* at) { __builtin_prefetch(at, 0, 2); }

static_assert(kPanel % kStep == 0);

// ---- register tiles: kRows rows of c against two vectors of columns, for a stretch of k ----

// The accumulators of a tile. `second` is the distance of the second vector from the first.
template <int kRows>
struct Tile {
  V acc[kRows][2];

  HWY_INLINE void load(const float* c, int64_t stride, int64_t second) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      acc[m][0] = hn::LoadU(F32(), c + m * stride);
      acc[m][1] = hn::LoadU(F32(), c + m * stride + second);
    }
  }
  HWY_INLINE void store(float* c, int64_t stride, int64_t second) const {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      hn::StoreU(acc[m][0], F32(), c + m * stride);
      hn::StoreU(acc[m][1], F32(), c + m * stride + second);
    }
  }
  HWY_INLINE void add(const float* a, int64_t a_stride, V b0, V b1) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V x = hn::Set(F32(), a[m * a_stride]);
      acc[m][0] = hn::MulAdd(x, b0, acc[m][0]);
      acc[m][1] = hn::MulAdd(x, b1, acc[m][1]);
    }
  }
};

HWY_INLINE V low_halves(hn::Vec<U32> pairs) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(pairs));
}
HWY_INLINE V high_halves(hn::Vec<U32> pairs) {
  return hn::BitCast(F32(), hn::And(pairs, hn::Set(U32(), 0xFFFF0000u)));
}

// What the other tiles of a block fetch while this one computes: `step` bytes per k from `from` on.
// Spread over all tiles, or memory would rest while they work on what has come.
struct Ahead {
  const std::byte* from = nullptr;
  int64_t step = 0;
  HWY_INLINE void fetch(int64_t k) const { hwy::Prefetch(from + k * step); }
};

// b widened: kStep columns of a block with kPanel numbers per k.
template <int kRows>
HWY_NOINLINE void block_tile(const float* a, int64_t a_stride, const float* b, int64_t depth,
                             float* c, int64_t c_stride, Ahead ahead) {
  Tile<kRows> tile;
  tile.load(c, c_stride, kLanes);
  for (int64_t k = 0; k < depth; ++k) {
    ahead.fetch(k);
    tile.add(a + k, a_stride, hn::Load(F32(), b + k * kPanel),
             hn::Load(F32(), b + k * kPanel + kLanes));
  }
  tile.store(c, c_stride, kLanes);
}

// b in a BF16 panel: a vector of its pairs is columns 0.. and 16.. .
template <int kRows>
HWY_NOINLINE void panel_tile(const float* a, int64_t a_stride, const uint16_t* b, int64_t depth,
                             float* c, int64_t c_stride) {
  Tile<kRows> tile;
  tile.load(c, c_stride, kPanel / 2);
  for (int64_t k = 0; k < depth; ++k) {
    const auto* at = reinterpret_cast<const uint32_t*>(b + k * kPanel);
    hwy::Prefetch(reinterpret_cast<const std::byte*>(at) + kNear);
    prefetch_far(reinterpret_cast<const std::byte*>(at) + kFar);
    const auto pairs = hn::Load(U32(), at);
    tile.add(a + k, a_stride, low_halves(pairs), high_halves(pairs));
  }
  tile.store(c, c_stride, kPanel / 2);
}

// The same, and the widened numbers are left in a block for the other rows: widening, stores and
// waiting for memory hide behind the multiply-adds of these.
template <int kRows>
HWY_NOINLINE void widening_tile(const float* a, int64_t a_stride, const uint16_t* b, int64_t depth,
                                float* c, int64_t c_stride, float* block, Ahead ahead) {
  Tile<kRows> tile;
  tile.load(c, c_stride, kPanel / 2);
  for (int64_t k = 0; k < depth; ++k) {
    const auto* at = reinterpret_cast<const uint32_t*>(b + k * kPanel);
    ahead.fetch(k);
    const auto pairs = hn::Load(U32(), at);
    const V b0 = low_halves(pairs);
    const V b1 = high_halves(pairs);
    hn::Store(b0, F32(), block + k * kPanel);
    hn::Store(b1, F32(), block + k * kPanel + kPanel / 2);
    tile.add(a + k, a_stride, b0, b1);
  }
  tile.store(c, c_stride, kPanel / 2);
}

// b in BF16 rows: a vector of pairs is the even and the odd ones of 2 * kLanes columns, so the
// accumulators are taken apart and put together around the loop.
template <int kRows>
HWY_NOINLINE void rows_tile(const float* a, int64_t a_stride, const uint16_t* b, int64_t b_stride,
                            int64_t depth, float* c, int64_t c_stride, Ahead ahead) {
  Tile<kRows> tile;
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
    hn::LoadInterleaved2(F32(), c + m * c_stride, tile.acc[m][0], tile.acc[m][1]);
  for (int64_t k = 0; k < depth; ++k) {
    prefetch_far(ahead.from + k * ahead.step);
    const auto pairs = hn::LoadU(U32(), reinterpret_cast<const uint32_t*>(b + k * b_stride));
    tile.add(a + k, a_stride, low_halves(pairs), high_halves(pairs));
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
    hn::StoreInterleaved2(tile.acc[m][0], tile.acc[m][1], F32(), c + m * c_stride);
}

// A tile by its number of rows.
template <std::size_t... kIndex>
constexpr auto block_tiles(std::index_sequence<kIndex...>) {
  return std::array{block_tile<static_cast<int>(kIndex) + 1>...};
}
template <std::size_t... kIndex>
constexpr auto panel_tiles(std::index_sequence<kIndex...>) {
  return std::array{panel_tile<static_cast<int>(kIndex) + 1>...};
}
template <std::size_t... kIndex>
constexpr auto widening_tiles(std::index_sequence<kIndex...>) {
  return std::array{widening_tile<static_cast<int>(kIndex) + 1>...};
}
template <std::size_t... kIndex>
constexpr auto rows_tiles(std::index_sequence<kIndex...>) {
  return std::array{rows_tile<static_cast<int>(kIndex) + 1>...};
}
inline constexpr std::make_index_sequence<kMaxRows> kRowCounts;
inline constexpr auto kBlockTiles = block_tiles(kRowCounts);
inline constexpr auto kPanelTiles = panel_tiles(kRowCounts);
inline constexpr auto kWideningTiles = widening_tiles(kRowCounts);
inline constexpr auto kRowsTiles = rows_tiles(kRowCounts);

// Rows in groups of nearly equal size, none above kMaxRows: visit(first row, rows).
HWY_INLINE int64_t groups_of(int64_t rows) { return (rows + kMaxRows - 1) / kMaxRows; }

template <class Visit>
HWY_INLINE void each_group(int64_t rows, Visit visit) {
  const int64_t groups = groups_of(rows);
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t first = rows * g / groups;
    visit(first, rows * (g + 1) / groups - first);
  }
}

// A panel of c. The last panel of a tile may be narrower than the registers: it is then computed in
// a buffer of its own.
class PanelOfC {
 public:
  PanelOfC(const Product& p, int64_t n, float* buffer)
      : p_(p), n_(n), cols_(std::min(kPanel, p.cols - n)), buffer_(buffer) {
    if (whole()) return;
    for (int64_t m = 0; m < p.rows; ++m) {
      std::fill_n(buffer + m * kPanel, kPanel, 0.0f);
      std::copy_n(p.c + m * p.c_stride + n, cols_, buffer + m * kPanel);
    }
  }
  void finish() {
    if (whole()) return;
    for (int64_t m = 0; m < p_.rows; ++m)
      std::copy_n(buffer_ + m * kPanel, cols_, p_.c + m * p_.c_stride + n_);
  }
  float* row(int64_t m) const {
    return whole() ? p_.c + m * p_.c_stride + n_ : buffer_ + m * kPanel;
  }
  int64_t stride() const { return whole() ? p_.c_stride : kPanel; }
  int64_t cols() const { return cols_; }

 private:
  bool whole() const { return cols_ == kPanel; }
  const Product& p_;
  int64_t n_, cols_;
  float* buffer_;
};

// Rows of c that are computed together; bounds the buffer of a narrow panel.
inline constexpr int64_t kRowBlock = 48;

template <class Visit>
HWY_INLINE void each_row_block(const Product& whole, Visit visit) {
  for (int64_t first = 0; first < whole.rows; first += kRowBlock) {
    Product p = whole;
    p.a += first * p.a_stride;
    p.c += first * p.c_stride;
    p.rows = std::min(kRowBlock, whole.rows - first);
    visit(p);
  }
}

// For every panel and block of k: widen_block(n, cols, k, depth, block), then all rows against it.
template <class WidenBlock>
HWY_INLINE void multiply_blocks(const Product& whole, const WidenBlock& widen_block) {
  alignas(64) float block[kDepth * kPanel];
  alignas(64) float buffer[kRowBlock * kPanel];
  each_row_block(whole, [&](const Product& p) {
    for (int64_t n = 0; n < p.cols; n += kPanel) {
      PanelOfC c(p, n, buffer);
      for (int64_t k = 0; k < p.depth; k += kDepth) {
        const int64_t depth = std::min(kDepth, p.depth - k);
        widen_block(n, c.cols(), k, depth, block);
        for (int64_t s = 0; s < c.cols(); s += kStep)
          each_group(p.rows, [&](int64_t m, int64_t rows) {
            kBlockTiles[static_cast<std::size_t>(rows - 1)](
                p.a + m * p.a_stride + k, p.a_stride, block + s, depth, c.row(m) + s, c.stride(),
                Ahead{reinterpret_cast<const std::byte*>(block), 0});
          });
      }
      c.finish();
    }
  });
}

void multiply_panels(const Product& whole, const uint16_t* b, int64_t panel_stride) {
  alignas(64) float block[kDepth * kPanel];
  alignas(64) float buffer[kRowBlock * kPanel];
  each_row_block(whole, [&](const Product& p) {
    const bool one_group = p.rows <= kMaxRows;
    // One group needs no block, so its accumulators stay in registers for all of k.
    const int64_t most = one_group ? p.depth : kDepth;
    for (int64_t n = 0; n < p.cols; n += kPanel) {
      const uint16_t* panel = b + n / kPanel * panel_stride;
      PanelOfC c(p, n, buffer);
      for (int64_t k = 0; k < p.depth; k += most) {
        const int64_t depth = std::min(most, p.depth - k);
        // Where the next block is: further down this panel, or at the top of the next.
        const uint16_t* next = k + depth < p.depth ? panel + (k + depth) * kPanel
                                                   : panel + panel_stride;
        const int64_t tiles = groups_of(p.rows) * (kPanel / kStep);
        Ahead ahead{reinterpret_cast<const std::byte*>(next), kPanel * 2 / tiles};
        each_group(p.rows, [&](int64_t m, int64_t rows) {
          const auto tile = static_cast<std::size_t>(rows - 1);
          const float* a = p.a + m * p.a_stride + k;
          if (m > 0) {
            for (int64_t s = 0; s < kPanel; s += kStep, ahead.from += depth * ahead.step)
              kBlockTiles[tile](a, p.a_stride, block + s, depth, c.row(m) + s, c.stride(), ahead);
            return;
          }
          for (int64_t s = 0; s < kPanel / 2; s += kLanes) {
            const uint16_t* from = panel + k * kPanel + 2 * s;
            if (one_group)
              kPanelTiles[tile](a, p.a_stride, from, depth, c.row(m) + s, c.stride());
            else
              kWideningTiles[tile](a, p.a_stride, from, depth, c.row(m) + s, c.stride(),
                                   block + s, ahead);
            ahead.from += depth * ahead.step;
          }
        });
      }
      c.finish();
    }
  });
}

void multiply_rows_bf16(const Product& whole, const uint16_t* b, int64_t stride) {
  // Whole vectors of columns straight from memory; what is left over goes through blocks.
  const int64_t direct = whole.cols / kStep * kStep;
  Ahead ahead{reinterpret_cast<const std::byte*>(b + whole.depth * stride),
              kStep * 2 / groups_of(whole.rows)};
  for (int64_t n = 0; n < direct; n += kStep)
    each_group(whole.rows, [&](int64_t m, int64_t rows) {
      kRowsTiles[static_cast<std::size_t>(rows - 1)](
          whole.a + m * whole.a_stride, whole.a_stride, b + n, stride, whole.depth,
          whole.c + m * whole.c_stride + n, whole.c_stride, ahead);
      ahead.from += whole.depth * ahead.step;
    });
  if (direct == whole.cols) return;
  Product p = whole;
  p.c += direct;
  p.cols -= direct;
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    const uint16_t* from = b + k * stride + direct + n;
    for (int64_t i = 0; i < depth; ++i, from += stride, block += kPanel) {
      widen(from, block, cols);
      std::fill(block + cols, block + kPanel, 0.0f);
    }
  });
}

void multiply_rows_f32(const Product& p, const float* b, int64_t stride) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    const float* from = b + k * stride + n;
    for (int64_t i = 0; i < depth; ++i, from += stride, block += kPanel) {
      std::copy_n(from, cols, block);
      std::fill(block + cols, block + kPanel, 0.0f);
    }
  });
}

// Four pairs each of rows 0, 4, 8 .. in the blocks of one vector of kCount lanes.
template <int64_t kCount>
HWY_INLINE auto four_of_rows(const uint32_t* from, int64_t four_rows) {
  const hn::CappedTag<uint32_t, kCount> d;
  if constexpr (kCount == 4) {
    return hn::LoadU(d, from);
  } else {
    return hn::Combine(d, four_of_rows<kCount / 2>(from + kCount / 8 * four_rows, four_rows),
                       four_of_rows<kCount / 2>(from, four_rows));
  }
}

// kLanes rows of `depth` numbers, a multiple of 8, become columns of a widened block. What lies
// `ahead` elements further on is fetched meanwhile.
HWY_NOINLINE void transpose_lanes(const uint16_t* rows, int64_t stride, int64_t depth,
                                  int64_t ahead, float* block) {
  const U32 d;
  const hn::Repartition<uint64_t, U32> wide;
  const auto* from = reinterpret_cast<const uint32_t*>(rows);
  const int64_t one = stride / 2;
  for (int64_t i = 0; i < depth; i += 8, from += 4, block += 8 * kPanel) {
    const auto r0 = four_of_rows<kLanes>(from, 4 * one);
    const auto r1 = four_of_rows<kLanes>(from + one, 4 * one);
    const auto r2 = four_of_rows<kLanes>(from + 2 * one, 4 * one);
    const auto r3 = four_of_rows<kLanes>(from + 3 * one, 4 * one);
    for (int64_t line = 0; line < kLanes * 16; line += 64)
      prefetch_far(reinterpret_cast<const std::byte*>(rows + ahead) + i / 8 * kLanes * 16 + line);
    const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
    const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
    const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
    const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
    const auto store = [&](int64_t k, auto pairs64) HWY_ATTR {
      const auto pairs = hn::BitCast(d, pairs64);
      hn::Store(low_halves(pairs), F32(), block + k * kPanel);
      hn::Store(high_halves(pairs), F32(), block + (k + 1) * kPanel);
    };
    store(0, hn::InterleaveLower(wide, low01, low23));
    store(2, hn::InterleaveUpper(wide, low01, low23));
    store(4, hn::InterleaveLower(wide, high01, high23));
    store(6, hn::InterleaveUpper(wide, high01, high23));
  }
}

// Columns one by one: what is left over, and FP32.
template <class T>
HWY_INLINE void transpose_plainly(const T* from, int64_t stride, int64_t cols, int64_t first,
                                  int64_t depth, float* block) {
  for (int64_t j = 0; j < kPanel; ++j)
    for (int64_t i = first; i < depth; ++i) {
      float x = 0;
      if (j < cols) {
        if constexpr (sizeof(T) == 2)
          x = hwy::F32FromBF16(hwy::bfloat16_t{from[j * stride + i]});
        else
          x = from[j * stride + i];
      }
      block[i * kPanel + j] = x;
    }
}

void multiply_transposed_f32(const Product& p, const float* b, int64_t stride) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    transpose_plainly(b + n * stride + k, stride, cols, 0, depth, block);
  });
}

void multiply_transposed_bf16(const Product& p, const uint16_t* b, int64_t stride) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    const uint16_t* from = b + n * stride + k;
    // Eight numbers of a row are four pairs; rows that start in the middle of a pair, or are not
    // all there, are taken plainly.
    const int64_t whole = cols == kPanel && stride % 2 == 0 ? depth / 8 * 8 : 0;
    for (int64_t j = 0; j < kPanel && whole > 0; j += kLanes)
      transpose_lanes(from + j * stride, stride, whole, p.cols * stride, block + j);
    transpose_plainly(from, stride, cols, whole, depth, block);
  });
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
