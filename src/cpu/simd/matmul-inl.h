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
#include <type_traits>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/flush-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/left-inl.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

// A panel of c. Two kinds are computed in a buffer of their own: the last of a tile, when it is
// narrower than the registers, and many rows that lie a multiple of 512 bytes apart, which would
// share a few sets of L1 with everything else (2 % of a product).
class PanelOfC {
 public:
  HWY_INLINE PanelOfC(const Product& p, int64_t n, float* buffer)
      : p_(p),
        n_(n),
        cols_(std::min(kPanel, p.cols - n)),
        buffer_(buffer),
        narrow_(cols_ < kPanel),
        direct_(!narrow_ && (p.rows <= 2 * kMaxRows || p.c_stride % 128 != 0)) {
    if (narrow_)
      for (int64_t m = 0; m < p.rows; ++m) {
        std::fill_n(buffer + m * kPanel, kPanel, 0.0f);
        std::copy_n(of_c(m), cols_, buffer + m * kPanel);
      }
    else if (!direct_)
      for (int64_t m = 0; m < p.rows; ++m) copy_panel(of_c(m), buffer + m * kPanel);
  }
  HWY_INLINE void finish() {
    if (narrow_)
      for (int64_t m = 0; m < p_.rows; ++m) std::copy_n(buffer_ + m * kPanel, cols_, of_c(m));
    else if (!direct_)
      for (int64_t m = 0; m < p_.rows; ++m) copy_panel(buffer_ + m * kPanel, of_c(m));
  }
  HWY_INLINE float* row(int64_t m) const { return direct_ ? of_c(m) : buffer_ + m * kPanel; }
  HWY_INLINE int64_t stride() const { return direct_ ? p_.c_stride : kPanel; }
  HWY_INLINE int64_t cols() const { return cols_; }

 private:
  HWY_INLINE float* of_c(int64_t m) const { return p_.c + m * p_.c_stride + n_; }
  static HWY_INLINE void copy_panel(const float* from, float* to) {
    for (int64_t i = 0; i < kPanel; i += kLanes)
      hn::StoreU(hn::LoadU(F32(), from + i), F32(), to + i);
  }

  const Product& p_;
  int64_t n_, cols_;
  float* buffer_;
  bool narrow_, direct_;
};

// For every panel and block of k: widen_block(n, cols, k, depth, block, stream), then all rows
// against it.
template <class WidenBlock>
HWY_INLINE void multiply_blocks(const Product& whole, float* block, const WidenBlock& widen_block,
                                Stream& all) {
  alignas(64) float buffer[kRowBlock * kPanel];
  each_block_of(whole, [&](const Product& p, const Groups& groups) {
    Stream none;
    Stream& stream = p.c == whole.c ? all : none;  // the first rows fetch for all
    for (int64_t n = 0; n < p.cols; n += kPanel) {
      PanelOfC c(p, n, buffer);
      for (int64_t k = 0; k < p.depth; k += kDepth) {
        const int64_t depth = std::min(kDepth, p.depth - k);
        widen_block(n, c.cols(), k, depth, block, stream);
        for (int64_t s = 0; s < c.cols(); s += kStep)
          for (int64_t g = 0; g < groups.count(); ++g) {
            const bool first = s == 0 && g == 0;
            const Ahead ahead = next_of(first ? stream : none, depth / 4 * kScoreLines, block);
            tile_for(kScoreTiles, groups.rows(g))(left_of(p, groups, g, k), block + s, depth,
                                                  c.row(groups.first(g)) + s, c.stride(),
                                                  {ahead, {}});
          }
      }
      c.finish();
    }
  });
}

template <class WidenBlock>
HWY_INLINE void multiply_blocks(const Product& whole, const WidenBlock& widen_block) {
  Stream none;
  alignas(64) float own_block[kDepth * kPanel];
  multiply_blocks(
      whole, own_block,
      [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block, Stream&)
          HWY_ATTR { widen_block(n, cols, k, depth, block); },
      none);
}

// Rows that fit one tile need no block, so their accumulators stay in registers for all of k.
template <class Columns>
void multiply_one_group(const Product& p, const uint16_t* b, int64_t panel_stride,
                        const uint16_t* after) {
  alignas(64) float buffer[kRowBlock * kPanel];
  constexpr int64_t kLater = kFar / (kPanel * 2);  // k
  const int64_t columns = panel_width(p.rows) * kLanes;
  // What takes several tiles is read again at once, so that memory is asked evenly. Measured with
  // AVX2 and 6 rows: 64 and 128 k are 10 % slower.
  constexpr int64_t kAgain = 16;
  const int64_t most = columns == kPanel / 2 ? p.depth : kAgain;
  for (int64_t n = 0; n < p.cols; n += kPanel, b += panel_stride) {
    PanelOfC c(p, n, buffer);
    // At the end of all panels what is fetched lies elsewhere.
    const int64_t last = n + kPanel < p.cols ? p.depth : std::max<int64_t>(0, p.depth - kLater);
    for (int64_t k = 0, depth = 0; k < p.depth; k += depth) {
      depth = std::min(most, (k < last ? last : p.depth) - k);
      const uint16_t* later = k < last ? b + (k + kLater) * kPanel : after + (k - last) * kPanel;
      for (int64_t s = 0; s < kPanel / 2; s += columns, later = b + k * kPanel)
        tile_for(kPanelTiles<Columns>, p.rows)(p.a + k * p.rows,
                                               b + k * kPanel + s * Columns::kStep, depth,
                                               c.row(0) + s, c.stride(), later);
    }
    c.finish();
  }
}

// The first group widens a block for the others.
template <class Columns>
HWY_INLINE void multiply_by_first_group(const Product& p, const Groups& groups, const uint16_t* b,
                                        int64_t panel_stride, const uint16_t* after) {
  alignas(64) float block[kDepth * kPanel];
  alignas(64) float buffer[kRowBlock * kPanel];
  const int64_t most = block_depth(p.rows);
  for (int64_t n = 0; n < p.cols; n += kPanel, b += panel_stride) {
    PanelOfC c(p, n, buffer);
    for (int64_t k = 0; k < p.depth; k += most) {
      const int64_t depth = std::min(most, p.depth - k);
      // Where the next block is: further down this panel, or at the top of the next.
      const uint16_t* top = n + kPanel < p.cols ? b + panel_stride : after;
      const uint16_t* next = k + depth < p.depth ? b + (k + depth) * kPanel : top;
      Stream stream{reinterpret_cast<const std::byte*>(next), depth * kLine};
      const auto ahead = [&]() HWY_ATTR { return next_of(stream, depth / 4 * kPanelLines, block); };
      for (int64_t s = 0; s < kPanel / 2; s += kLanes)
        tile_for(kWideningTiles<Columns>, groups.rows(0))(
            left_of(p, groups, 0, k), b + k * kPanel + s * Columns::kStep, depth, c.row(0) + s,
            c.stride(), block + s, ahead());
      for (int64_t g = 1; g < groups.count(); ++g)
        for (int64_t s = 0; s < kPanel; s += kStep)
          tile_for(kBlockTiles, groups.rows(g))(left_of(p, groups, g, k), block + s, depth,
                                                c.row(groups.first(g)) + s, c.stride(),
                                                {ahead(), {}});
    }
    c.finish();
  }
}

// The blocks of k of all panels, in the order they are used.
class PanelBlocks {
 public:
  PanelBlocks(const Product& p, const uint16_t* b, int64_t panel_stride, const uint16_t* after,
              int64_t most)
      : panel_(b),
        stride_(panel_stride),
        all_(p.depth),
        after_(after),
        panels_((p.cols + kPanel - 1) / kPanel) {
    const int64_t count = (all_ + most - 1) / most;
    most_ = (all_ + 4 * count - 1) / (4 * count) * 4;  // of nearly equal depth
  }
  const uint16_t* data() const { return panel_ + k_ * kPanel; }
  int64_t k() const { return k_; }
  int64_t depth() const { return std::min(most_, all_ - k_); }
  bool ends_panel() const { return k_ + most_ >= all_; }
  PanelBlocks next() const {
    PanelBlocks after = *this;
    after.k_ = ends_panel() ? 0 : k_ + most_;
    if (ends_panel()) after.panel_ = --after.panels_ == 0 ? after_ : panel_ + stride_;
    return after;
  }

 private:
  const uint16_t* panel_;
  int64_t stride_, all_, most_ = 0, k_ = 0;
  const uint16_t* after_;
  int64_t panels_;  // this one and those that follow
};

// Every group multiplies with one block while the first two widen the next.
HWY_INLINE void multiply_by_pairs(const Product& p, const Groups& groups, const uint16_t* b,
                                  int64_t panel_stride, const uint16_t* after) {
  alignas(4096) static thread_local float blocks[2][kPairDepth * kPanel];
  alignas(64) float buffer[kRowBlock * kPanel];
  float* block = blocks[0];
  float* other = blocks[1];
  PanelBlocks at(p, b, panel_stride, after, kPairDepth);
  for (int64_t k = 0; k < at.depth(); ++k)
    Widening::first(at.data() + k * kPanel, block + k * kPanel);
  for (int64_t n = 0; n < p.cols; n += kPanel) {
    PanelOfC c(p, n, buffer);
    for (bool ends = false; !ends; at = at.next(), std::swap(block, other)) {
      ends = at.ends_panel();
      const PanelBlocks next = at.next();
      const int64_t wanted = ends && n + kPanel >= p.cols ? 0 : next.depth();
      int64_t widened = 0;
      Stream stream{reinterpret_cast<const std::byte*>(next.next().data()), at.depth() * kLine};
      for (int64_t g = 0; g < groups.count(); ++g) {
        const Ahead ahead = next_of(stream, at.depth() / 4 * kPanelLines, block);
        const int64_t share = std::min(Widening::share(at.depth()), (wanted - widened) / 2 * 2);
        tile_for(kBlockTiles, groups.rows(g))(
            left_of(p, groups, g, at.k()), block, at.depth(), c.row(groups.first(g)), c.stride(),
            {ahead, {next.data() + widened * kPanel, other + widened * kPanel, share}});
        widened += share;
      }
      for (; widened < wanted; ++widened)
        Widening::one(next.data() + widened * kPanel, other + widened * kPanel);
    }
    c.finish();
  }
}

template <class Columns>
HWY_INLINE void multiply_all_panels(const Product& whole, const uint16_t* b, int64_t panel_stride,
                                    const uint16_t* after) {
  each_block_of(whole, [&](const Product& p, const Groups& groups) {
    // The next rows start from the first panel again.
    const uint16_t* next =
        p.c + p.rows * p.c_stride < whole.c + whole.rows * whole.c_stride ? b : after;
    if (groups.count() == 1) return multiply_one_group<Columns>(p, b, panel_stride, next);
    if constexpr (kMaskedStores && std::is_same_v<Columns, Bf16Columns>)
      multiply_by_pairs(p, groups, b, panel_stride, next);
    else
      multiply_by_first_group<Columns>(p, groups, b, panel_stride, next);
  });
}

void multiply_panels(const Product& p, const uint16_t* b, int64_t panel_stride,
                     const uint16_t* after) {
  multiply_of_bf16(
      p,
      [&](const Product& part, int64_t n) HWY_ATTR {
        multiply_all_panels<Bf16Columns>(part, b + n / kPanel * panel_stride, panel_stride, after);
      },
      [&](int64_t k, int64_t n) {
        return number(b[n / kPanel * panel_stride + k * kPanel + panel_position(n % kPanel)]);
      });
}
void multiply_panels_f16(const Product& p, const uint16_t* b, int64_t panel_stride,
                         const uint16_t* after) {
  multiply_all_panels<F16Columns>(p, b, panel_stride, after);
}

HWY_INLINE void multiply_all_rows(const Product& whole, const uint16_t* b, int64_t stride,
                                  Stream& all) {
  // Whole vectors of columns straight from memory; what is left over goes through blocks.
  const int64_t direct = whole.cols / kStep * kStep;
  each_block_of(whole, [&](const Product& p, const Groups& groups) {
    Stream none;
    Stream& stream = p.c == whole.c ? all : none;  // the first rows fetch for all
    for (int64_t k = 0; k < p.depth; k += kChunk) {
      const int64_t depth = std::min(kChunk, p.depth - k);
      const uint16_t* from = b + k * stride;
      int64_t n = 0;
      for (; p.rows <= kFewRows && n + 2 * kStep <= direct; n += 2 * kStep)
        tile_for(kWideRowsTiles, p.rows)(p.a + k * p.rows, from + n, stride, depth, p.c + n,
                                         p.c_stride,
                                         next_of(stream, depth / 4 * rows_lines<2>(), p.a));
      for (; n < direct; n += kStep)
        for (int64_t g = 0; g < groups.count(); ++g) {
          const Ahead ahead = next_of(g == 0 ? stream : none, depth / 4 * rows_lines<1>(), p.a);
          tile_for(kRowsTiles, groups.rows(g))(left_of(p, groups, g, k), from + n, stride, depth,
                                               p.c + groups.first(g) * p.c_stride + n, p.c_stride,
                                               ahead);
        }
    }
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

void multiply_rows_bf16(const Product& p, const uint16_t* b, int64_t stride, Stream& stream) {
  multiply_of_bf16(
      p,
      [&](const Product& part, int64_t n)
          HWY_ATTR { multiply_all_rows(part, b + n, stride, stream); },
      [&](int64_t k, int64_t n) { return number(b[k * stride + n]); });
}

void multiply_rows_f16(const Product& whole, const uint16_t* b, int64_t stride, Stream& all) {
  alignas(64) float own_block[kDepth * kPanel];
  const auto widen_block = [&](int64_t n, int64_t cols, int64_t k, int64_t depth, float* block,
                               Stream&) HWY_ATTR {
    const uint16_t* from = b + k * stride + n;
    for (int64_t i = 0; i < depth; ++i, from += stride, block += kPanel) {
      widen_f16(from, block, cols);
      std::fill(block + cols, block + kPanel, 0.0f);
    }
  };
  multiply_blocks(whole, own_block, widen_block, all);
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
