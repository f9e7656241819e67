// Products for one instruction set, made of register tiles: straight from a panel when the rows fit
// one tile, else the first group of rows widens a block into L1 that the other groups read. An
// accumulator that is stored between blocks loses nothing: each element is one chain of fma in
// ascending k.
#if defined(TILEWRIGHT_CPU_MATMUL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_MATMUL_INL
#undef TILEWRIGHT_CPU_MATMUL_INL
#else
#define TILEWRIGHT_CPU_MATMUL_INL
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

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

template <class Visit>
HWY_INLINE void each_row_block(const Product& whole, Visit visit) {
  for (int64_t first = 0; first < whole.rows; first += kRowBlock) {
    Product p = whole;
    p.a += first * p.depth;
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
                p.a + m * p.depth + k * rows, block + s, depth, c.row(m) + s, c.stride(),
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
        const uint16_t* next =
            k + depth < p.depth ? panel + (k + depth) * kPanel : panel + panel_stride;
        const int64_t tiles = groups_of(p.rows) * (kPanel / kStep);
        Ahead ahead{reinterpret_cast<const std::byte*>(next), kPanel * 2 / tiles};
        each_group(p.rows, [&](int64_t m, int64_t rows) {
          const auto tile = static_cast<std::size_t>(rows - 1);
          const float* a = p.a + m * p.depth + k * rows;
          if (m > 0) {
            for (int64_t s = 0; s < kPanel; s += kStep, ahead.from += depth * ahead.step)
              kBlockTiles[tile](a, block + s, depth, c.row(m) + s, c.stride(), ahead);
            return;
          }
          for (int64_t s = 0; s < kPanel / 2; s += kLanes) {
            const uint16_t* from = panel + k * kPanel + 2 * s;
            if (one_group)
              kPanelTiles[tile](a, from, depth, c.row(m) + s, c.stride());
            else
              kWideningTiles[tile](a, from, depth, c.row(m) + s, c.stride(), block + s, ahead);
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
      kRowsTiles[static_cast<std::size_t>(rows - 1)](whole.a + m * whole.depth, b + n, stride,
                                                     whole.depth, whole.c + m * whole.c_stride + n,
                                                     whole.c_stride, ahead);
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

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
