// Products of BF16 by dot products of pairs: straight from panels of pairs, or from blocks in which
// rows or columns of the right operand are brought into pairs. In all that follows the depth of a
// Product, and k, count pairs: a pair of the left operand takes the place of one number.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/dot_rows-inl.h"
#include "tilewright/cpu/simd/dot_scores-inl.h"
#include "tilewright/cpu/simd/dots-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/matmul-inl.h"
#include "tilewright/cpu/simd/transposed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::dots {

// Pairs of a panel that several groups of rows use one after the other, in L1 with their own.
HWY_INLINE int64_t shared_pairs(int64_t rows) {
  constexpr int64_t kBytes = 24 * 1024;
  return kBytes / (4 * (rows + kPanel));
}

// All groups of rows against `depth` pairs of 32 columns; what comes later is fetched on the way.
template <class Unit>
HWY_INLINE void multiply_block(const Product& p, const Groups& groups, int64_t k, int64_t depth,
                               const uint16_t* block, const PanelOfC& c, const uint16_t* later,
                               int64_t later_lines) {
  const int64_t lines = (later_lines + groups.count() - 1) / groups.count();
  for (int64_t g = 0; g < groups.count(); ++g)
    tile_for(kDotTiles<Unit, false>, groups.rows(g))(left_of(p, groups, g, k), block, depth,
                                                     c.row(groups.first(g)), c.stride(),
                                                     later + g * lines * kPanel, lines);
}

// ---- panels ----

// Rows that fit one tile: the panel streams by.
template <class Unit>
HWY_INLINE void stream_panels(const Product& p, const uint16_t* b, int64_t panel_stride,
                              const uint16_t* after) {
  alignas(64) float buffer[kRowBlock * kPanel];
  constexpr int64_t kLater = kFar / (kPair * 2);
  for (int64_t n = 0; n < p.cols; n += kPanel, b += panel_stride) {
    PanelOfC c(p, n, buffer);
    // At the end of all panels what is fetched lies elsewhere.
    const int64_t last = n + kPanel < p.cols ? p.depth : std::max<int64_t>(0, p.depth - kLater);
    const auto tile = tile_for(kDotTiles<Unit, true>, p.rows);
    if (last > 0) tile(p.a, b, last, c.row(0), c.stride(), b + kLater * kPair, 0);
    if (last < p.depth)
      tile(p.a + last * p.rows, b + last * kPair, p.depth - last, c.row(0), c.stride(), after, 0);
    c.finish();
  }
}

// Several groups of rows: a part of the panel for all of them, while the next part is fetched.
template <class Unit>
HWY_INLINE void share_panels(const Product& p, const Groups& groups, const uint16_t* b,
                             int64_t panel_stride, const uint16_t* after) {
  alignas(64) float buffer[kRowBlock * kPanel];
  const int64_t most = shared_pairs(p.rows);
  for (int64_t n = 0; n < p.cols; n += kPanel, b += panel_stride) {
    PanelOfC c(p, n, buffer);
    const uint16_t* top = n + kPanel < p.cols ? b + panel_stride : after;
    for (int64_t k = 0; k < p.depth; k += most) {
      const int64_t depth = std::min(most, p.depth - k);
      const uint16_t* next = k + depth < p.depth ? b + (k + depth) * kPair : top;
      multiply_block<Unit>(p, groups, k, depth, b + k * kPair, c, next, 2 * depth);
    }
    c.finish();
  }
}

template <class Unit>
void multiply_panels(const Product& whole, const uint16_t* b, int64_t panel_stride,
                     const uint16_t* after) {
  start_sums(whole);
  [[maybe_unused]] const typename Unit::Mode mode;
  each_block_of(in_pairs(whole), [&](const Product& p, const Groups& groups) HWY_ATTR {
    // The next rows start from the first panel again.
    const uint16_t* next =
        p.c + p.rows * p.c_stride < whole.c + whole.rows * whole.c_stride ? b : after;
    if (groups.count() == 1)
      stream_panels<Unit>(p, b, panel_stride, next);
    else
      share_panels<Unit>(p, groups, b, panel_stride, next);
  });
}

// ---- rows ----

// Rows k and k + 1 of up to 32 columns, side by side; columns that are missing are zero.
HWY_INLINE void pair_rows(const uint16_t* b, int64_t stride, int64_t depth, int64_t cols,
                          Ahead ahead, uint16_t* block) {
  const hn::ScalableTag<uint16_t> d;
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(cols));
  const auto places = hn::ShiftRight<1>(hn::Iota(d, 0));
  // Of every two lanes the first is from the second table, the later row.
  const auto first = hn::Add(places, hn::ShiftLeft<5>(hn::And(hn::Iota(d, 1), hn::Set(d, 1))));
  const auto second = hn::Add(first, hn::Set(d, kPanel / 2));
  for (int64_t k = 0; k < depth; k += 2, block += kPair) {
    ahead.fetch(k);
    ahead.fetch(k + 1);
    const auto row = hn::MaskedLoad(mask, d, b + k * stride);
    const auto later = k + 1 < depth ? hn::MaskedLoad(mask, d, b + (k + 1) * stride) : hn::Zero(d);
    const auto place = [&](auto lanes, uint16_t* to) HWY_ATTR {
      hn::Store(decltype(row){_mm512_permutex2var_epi16(row.raw, lanes.raw, later.raw)}, d, to);
    };
    place(first, block);
    place(second, block + kPanel);
  }
}

template <class Unit>
void multiply_rows(const Product& whole, const uint16_t* b, int64_t stride, Stream& all) {
  start_sums(whole);
  if (reads_rows_once(whole)) return multiply_rows_once<Unit>(whole, b, stride, all);
  alignas(64) uint16_t block[kBlockPairs * kPair];
  alignas(64) float buffer[kRowBlock * kPanel];
  [[maybe_unused]] const typename Unit::Mode mode;
  each_block_of(in_pairs(whole), [&](const Product& p, const Groups& groups) HWY_ATTR {
    Stream none;
    Stream& stream = p.c == whole.c ? all : none;  // the first rows fetch for all
    // Rows in the order of memory: all columns of some before the next.
    for (int64_t k = 0; k < p.depth; k += kBlockPairs) {
      const int64_t depth = std::min(kBlockPairs, p.depth - k);
      const int64_t rows = std::min(2 * depth, whole.depth - 2 * k);
      for (int64_t n = 0; n < p.cols; n += kPanel) {
        PanelOfC c(p, n, buffer);
        pair_rows(b + 2 * k * stride + n, stride, rows, c.cols(), next_of(stream, 2 * depth, block),
                  block);
        multiply_block<Unit>(p, groups, k, depth, block, c, nullptr, 0);
        c.finish();
      }
    }
  });
}

// ---- columns ----

// Sixteen rows of b, of a multiple of eight numbers, become columns of a block.
HWY_INLINE void pair_columns(const uint16_t* b, int64_t stride, int64_t pairs, Ahead ahead,
                             uint32_t* block) {
  const auto* from = reinterpret_cast<const uint32_t*>(b);
  const int64_t one = stride / 2;
  for (int64_t i = 0; i < pairs; i += 4, from += 4, block += 4 * kPanel) {
    const auto row = [&](int64_t r)
                         HWY_ATTR { return four_of_rows<kLanes>(from + r * one, 4 * one); };
    ahead.fetch(i / 4);
    interleaved(U32(), row(0), row(1), row(2), row(3), [&](int64_t j, auto v) HWY_ATTR {
      hn::Store(swapped(v), U32(), block + j * kPanel);
    });
  }
}

// The same of any number of rows, pair by pair from `first` on.
HWY_INLINE void pair_columns_plainly(const uint16_t* b, int64_t stride, int64_t cols, int64_t first,
                                     int64_t depth, uint32_t* block) {
  for (int64_t j = 0; j < kLanes; ++j)
    for (int64_t k = 2 * first; k < depth; k += 2) {
      uint32_t& to = block[k / 2 * kPanel + j];
      if (j >= cols)
        to = 0;
      else
        to = k + 1 < depth ? pair_at(b + j * stride + k) : pair(b[j * stride + k], kNoRight);
    }
}

template <class Unit>
void multiply_transposed(const Product& whole, const uint16_t* b, int64_t stride, Stream& all) {
  if (whole.rows <= kScoreRows) return multiply_scores<Unit>(whole, b, stride, all);
  start_sums(whole);
  alignas(64) uint32_t block[kBlockPairs * kPanel];
  alignas(64) float buffer[kRowBlock * kPanel];
  [[maybe_unused]] const typename Unit::Mode mode;
  each_block_of(in_pairs(whole), [&](const Product& p, const Groups& groups) HWY_ATTR {
    Stream none;
    Stream& stream = p.c == whole.c ? all : none;
    for (int64_t n = 0; n < p.cols; n += kPanel) {
      PanelOfC c(p, n, buffer);
      for (int64_t k = 0; k < p.depth; k += kBlockPairs) {
        const int64_t depth = std::min(kBlockPairs, p.depth - k);
        const int64_t numbers = std::min(2 * depth, whole.depth - 2 * k);
        for (int64_t j = 0; j < kPanel; j += kLanes) {
          const uint16_t* from = b + (n + j) * stride + 2 * k;
          // Rows that begin in the middle of a pair are taken plainly.
          const bool fast = stride % 2 == 0 && j + kLanes <= c.cols();
          const int64_t quick = fast ? numbers / 8 * 4 : 0;
          // A line for every row that is read.
          pair_columns(from, stride, quick, next_of(stream, quick / 2, block), block + j);
          pair_columns_plainly(from, stride, c.cols() - j, quick, numbers, block + j);
        }
        multiply_block<Unit>(p, groups, k, depth, reinterpret_cast<const uint16_t*>(block), c,
                             nullptr, 0);
      }
      c.finish();
    }
  });
}

// Puts the products into a table of this target.
template <class Unit>
void put(Kernels& k) {
  k.panels = Panels::Swapped;
  k.starts_sums = true;
  k.pack_left_bf16 = pack_left;
  k.multiply_panels = multiply_panels<Unit>;
  k.multiply_rows_bf16 = multiply_rows<Unit>;
  k.multiply_transposed_bf16 = multiply_transposed<Unit>;
  k.product_rounds = product_rounds<Unit>;
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::dots
HWY_AFTER_NAMESPACE();
