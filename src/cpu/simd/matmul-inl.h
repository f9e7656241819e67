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
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(F32()));
// Vectors of accumulators per row, and the most rows whose accumulators fit the registers beside
// two vectors of b: 24 of 32 registers with AVX-512 and NEON, 12 of 16 with AVX2.
inline constexpr int64_t kVectors = 2;
inline constexpr int64_t kMaxRows = HWY_TARGET == HWY_AVX2 ? 6 : 12;
inline constexpr int64_t kStep = kVectors * kLanes;  // columns of a register tile
// k of a widened block: 128 * 32 numbers are 16 KiB, a third of L1.
inline constexpr int64_t kDepth = 128;
// Bytes ahead of the widening loop that are fetched: long enough for DRAM, short enough for L2.
inline constexpr int64_t kPrefetch = 4096;

static_assert(kPanel % kStep == 0);

// kRows rows of c against columns [0, kStep) of a widened block.
template <int kRows>
HWY_INLINE void block_tile(const float* a, int64_t a_stride, const float* b, int64_t depth,
                           float* c, int64_t c_stride) {
  const F32 d;
  V acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) acc[m][v] = hn::LoadU(d, c + m * c_stride + v * kLanes);
  for (int64_t k = 0; k < depth; ++k) {
    const V b0 = hn::Load(d, b + k * kPanel);
    const V b1 = hn::Load(d, b + k * kPanel + kLanes);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V x = hn::Set(d, a[m * a_stride + k]);
      acc[m][0] = hn::MulAdd(x, b0, acc[m][0]);
      acc[m][1] = hn::MulAdd(x, b1, acc[m][1]);
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) hn::StoreU(acc[m][v], d, c + m * c_stride + v * kLanes);
}

// kRows rows of c against lanes [0, kLanes) of the pairs of a BF16 panel: columns 0.. and 16.. .
template <int kRows>
HWY_INLINE void panel_tile(const float* a, int64_t a_stride, const uint16_t* b, int64_t depth,
                           float* c, int64_t c_stride) {
  const F32 d;
  const U32 u;
  const auto high = hn::Set(u, 0xFFFF0000u);
  V acc[kRows][2];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
    acc[m][0] = hn::LoadU(d, c + m * c_stride);
    acc[m][1] = hn::LoadU(d, c + m * c_stride + kPanel / 2);
  }
  for (int64_t k = 0; k < depth; ++k) {
    const auto* at = reinterpret_cast<const uint32_t*>(b + k * kPanel);
    hwy::Prefetch(reinterpret_cast<const uint8_t*>(at) + kPrefetch);
    const auto pairs = hn::Load(u, at);
    const V b0 = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
    const V b1 = hn::BitCast(d, hn::And(pairs, high));
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V x = hn::Set(d, a[m * a_stride + k]);
      acc[m][0] = hn::MulAdd(x, b0, acc[m][0]);
      acc[m][1] = hn::MulAdd(x, b1, acc[m][1]);
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
    hn::StoreU(acc[m][0], d, c + m * c_stride);
    hn::StoreU(acc[m][1], d, c + m * c_stride + kPanel / 2);
  }
}

using BlockTile = void (*)(const float*, int64_t, const float*, int64_t, float*, int64_t);
using PanelTile = void (*)(const float*, int64_t, const uint16_t*, int64_t, float*, int64_t);

template <int kRows>
HWY_NOINLINE void block_tile_of(const float* a, int64_t as, const float* b, int64_t depth, float* c,
                                int64_t cs) {
  block_tile<kRows>(a, as, b, depth, c, cs);
}
template <int kRows>
HWY_NOINLINE void panel_tile_of(const float* a, int64_t as, const uint16_t* b, int64_t depth,
                                float* c, int64_t cs) {
  panel_tile<kRows>(a, as, b, depth, c, cs);
}

template <std::size_t... kIndex>
constexpr auto block_tiles(std::index_sequence<kIndex...>) {
  return std::array<BlockTile, sizeof...(kIndex)>{block_tile_of<static_cast<int>(kIndex) + 1>...};
}
template <std::size_t... kIndex>
constexpr auto panel_tiles(std::index_sequence<kIndex...>) {
  return std::array<PanelTile, sizeof...(kIndex)>{panel_tile_of<static_cast<int>(kIndex) + 1>...};
}
inline constexpr auto kBlockTiles = block_tiles(std::make_index_sequence<kMaxRows>());
inline constexpr auto kPanelTiles = panel_tiles(std::make_index_sequence<kMaxRows>());

// Rows in groups of nearly equal size, none above kMaxRows: visit(first row, rows).
template <class Visit>
HWY_INLINE void each_group(int64_t rows, Visit visit) {
  const int64_t groups = (rows + kMaxRows - 1) / kMaxRows;
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

// For every panel and block of k: widen_block(n, cols, k, depth, block), then all rows against it.
template <class WidenBlock>
HWY_INLINE void multiply_blocks(const Product& whole, const WidenBlock& widen_block) {
  alignas(64) float block[kDepth * kPanel];
  alignas(64) float buffer[kRowBlock * kPanel];
  for (int64_t first = 0; first < whole.rows; first += kRowBlock) {
    Product p = whole;
    p.a += first * p.a_stride;
    p.c += first * p.c_stride;
    p.rows = std::min(kRowBlock, whole.rows - first);
    for (int64_t n = 0; n < p.cols; n += kPanel) {
      PanelOfC c(p, n, buffer);
      for (int64_t k = 0; k < p.depth; k += kDepth) {
        const int64_t depth = std::min(kDepth, p.depth - k);
        widen_block(n, c.cols(), k, depth, block);
        for (int64_t s = 0; s < c.cols(); s += kStep)
          each_group(p.rows, [&](int64_t m, int64_t rows) {
            kBlockTiles[static_cast<std::size_t>(rows - 1)](
                p.a + m * p.a_stride + k, p.a_stride, block + s, depth, c.row(m) + s, c.stride());
          });
      }
      c.finish();
    }
  }
}

void multiply_panels(const Product& p, const uint16_t* b, int64_t panel_stride) {
  const U32 u;
  const F32 d;
  if (p.rows <= kMaxRows) {
    alignas(64) float buffer[kMaxRows * kPanel];
    for (int64_t n = 0; n < p.cols; n += kPanel, b += panel_stride) {
      PanelOfC c(p, n, buffer);
      for (int64_t s = 0; s < kPanel / 2; s += kLanes)
        kPanelTiles[static_cast<std::size_t>(p.rows - 1)](p.a, p.a_stride, b + 2 * s, p.depth,
                                                          c.row(0) + s, c.stride());
      c.finish();
    }
    return;
  }
  const auto high = hn::Set(u, 0xFFFF0000u);
  multiply_blocks(p, [&](int64_t n, int64_t, int64_t k, int64_t depth, float* block) {
    const uint16_t* from = b + n / kPanel * panel_stride + k * kPanel;
    for (int64_t i = 0; i < depth; ++i, from += kPanel, block += kPanel) {
      hwy::Prefetch(reinterpret_cast<const uint8_t*>(from) + 2 * kDepth * kPanel * 2);
      for (int64_t s = 0; s < kPanel / 2; s += kLanes) {
        const auto pairs = hn::Load(u, reinterpret_cast<const uint32_t*>(from) + s);
        hn::Store(hn::BitCast(d, hn::ShiftLeft<16>(pairs)), d, block + s);
        hn::Store(hn::BitCast(d, hn::And(pairs, high)), d, block + kPanel / 2 + s);
      }
    }
  });
}

void multiply_rows_bf16(const Product& p, const uint16_t* b, int64_t stride) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    const uint16_t* from = b + k * stride + n;
    for (int64_t i = 0; i < depth; ++i, from += stride, block += kPanel) {
      if (cols == kPanel) {
        for (int64_t s = 0; s < kPanel; s += kLanes)
          hn::Store(widened(hn::LoadU(U16(), from + s)), F32(), block + s);
      } else {
        widen(from, block, cols);
        std::fill(block + cols, block + kPanel, 0.0f);
      }
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

template <class T, class Widen>
HWY_INLINE void multiply_transposed(const Product& p, const T* b, int64_t stride, Widen widen_one) {
  multiply_blocks(p, [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block) {
    for (int64_t j = 0; j < kPanel; ++j) {
      const T* from = b + (n + j) * stride + k;
      for (int64_t i = 0; i < depth; ++i)
        block[i * kPanel + j] = j < cols ? widen_one(from[i]) : 0.0f;
    }
  });
}

void multiply_transposed_f32(const Product& p, const float* b, int64_t stride) {
  multiply_transposed(p, b, stride, [](float x) { return x; });
}

void multiply_transposed_bf16(const Product& p, const uint16_t* b, int64_t stride) {
  multiply_transposed(p, b, stride, [](uint16_t x) {
    return hwy::F32FromBF16(hwy::bfloat16_t{x});
  });
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
