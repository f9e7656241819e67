// Products with encoded weights in the tile registers of AMX: the integer sums of a part of k are a
// product of tiles, of 16 rows of left codes and of the rows of quads of an expanded chunk. What
// follows in FP32, part by part, is what vectors compute elsewhere (encoded-inl.h), so the bits are
// the same.
#pragma once  // for one target only

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/encoded-inl.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

namespace expanded = by_pairs;

// Parts whose sums are made before they are scaled: what a tile stores cannot be loaded again at
// once. 16 KiB.
inline constexpr int64_t kPartsAtOnce = 8;
using PartSums = int32_t[kPartsAtOnce][kSide][kPanel];

// Parts [first, first + count) of up to 16 rows.
template <class Unit>
HWY_INLINE void add_parts(const expanded::ExpandedView& w, const QuantisedChunk* x, int64_t part,
                          int64_t first, int64_t count, PartSums& sums) {
  constexpr int64_t kRow = sizeof(QuantisedChunk);
  const auto add_one = [&]<int kOdd>(int64_t i) HWY_ATTR {
    // Neighbours use other registers, so that one need not wait for the other.
    constexpr int kFirst = 2 * kOdd, kSecond = kFirst + 1, kX = kLeft + kOdd;
    const uint8_t* codes = w.codes + (first + i) * w.part_bytes;
    Unit::template load<kX>(x->codes + (first + i) * part, kRow);
    Unit::template load<kRight>(codes, kQuadRow);
    Unit::template load<kRight + 1>(codes + kSide * kQuad, kQuadRow);
    Unit::template clear<kFirst>();
    Unit::template clear<kSecond>();
    Unit::template add_bytes<kFirst, kX, kRight>();
    Unit::template add_bytes<kSecond, kX, kRight + 1>();
    Unit::template store<kFirst>(sums[i][0], kPanel * 4);
    Unit::template store<kSecond>(sums[i][0] + kSide, kPanel * 4);
  };
  for (int64_t i = 0; i < count; i += 2) {
    add_one.template operator()<0>(i);
    if (i + 1 < count) add_one.template operator()<1>(i + 1);
  }
}

// What a part adds to 16 columns of one row.
HWY_INLINE V with_part(V sum, const int32_t* products, int32_t taken, float scale,
                       const float* scales) {
  const auto whole = hn::Sub(hn::Load(I32(), products), hn::Set(I32(), taken));
  const V factor = hn::Mul(hn::Set(F32(), scale), hn::Load(F32(), scales));
  return hn::MulAdd(hn::ConvertTo(F32(), whole), factor, sum);
}

template <bool kMinima>
HWY_INLINE void scale_parts(const PanelLayout& l, const expanded::ExpandedView& w,
                            const QuantisedChunk* x, int64_t rows, int64_t first, int64_t count,
                            const PartSums& sums, float* c) {
  const int64_t part = l.encoding.part;
  const int offset = l.is_signed() ? 0 : l.encoding.offset;
  for (int64_t m = 0; m < rows; ++m) {
    float* row = c + m * kPanel;
    V low = hn::Load(F32(), row);
    V high = hn::Load(F32(), row + kSide);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = first + i;
      const int32_t* of_x = x[m].sums;
      const int32_t total = part == kSmallestPart ? of_x[at] : of_x[2 * at] + of_x[2 * at + 1];
      const float scale = x[m].scales[at * part / kLeftBlock];
      const float* scales = w.scales + at * kPanel;
      const int32_t* products = sums[i][m];
      low = with_part(low, products, total * offset, scale, scales);
      high = with_part(high, products + kSide, total * offset, scale, scales + kSide);
      if constexpr (kMinima) {
        const V of_sum = hn::Set(F32(), scale * static_cast<float>(total));
        const float* minima = w.minima + at * kPanel;
        low = hn::NegMulAdd(hn::Load(F32(), minima), of_sum, low);
        high = hn::NegMulAdd(hn::Load(F32(), minima + kSide), of_sum, high);
      }
    }
    hn::Store(low, F32(), row);
    hn::Store(high, F32(), row + kSide);
  }
}

// One chunk of a panel with the rows of a block, whose columns of c lie row after row.
template <class Unit>
HWY_INLINE void multiply_chunk(Registers<Unit>& registers, const PanelLayout& l,
                               const expanded::ExpandedView& w, int64_t parts,
                               const QuantisedChunk* x, int64_t rows, float* c) {
  alignas(64) PartSums sums;
  for (int64_t m = 0; m < rows; m += kSide) {
    const int64_t count = std::min(kSide, rows - m);
    registers.use({{count, count}, {kSide, kSide}, l.encoding.part / kQuad});
    for (int64_t first = 0; first < parts; first += kPartsAtOnce) {
      const int64_t some = std::min(kPartsAtOnce, parts - first);
      add_parts<Unit>(w, x + m, l.encoding.part, first, some, sums);
      if (l.encoding.minima)
        scale_parts<true>(l, w, x + m, count, first, some, sums, c + m * kPanel);
      else
        scale_parts<false>(l, w, x + m, count, first, some, sums, c + m * kPanel);
    }
  }
}

template <class Unit>
void multiply_encoded(const EncodedProduct& p) {
  const PanelLayout& l = *p.layout;
  const bool as_it_is = l.bits_stored() == 8;
  expanded::Expanded room;
  alignas(64) float sums[kEncodedRowsAtOnce * kPanel];
  Registers<Unit> registers;
  for (int64_t first = 0; first < p.rows; first += kEncodedRowsAtOnce) {
    const int64_t rows = std::min(kEncodedRowsAtOnce, p.rows - first);
    const std::byte* panel = p.panels;
    for (int64_t n = 0; n < p.cols; n += kPanel, panel += p.panel_stride) {
      float* c = p.c + first * p.c_stride + n;
      const int64_t cols = std::min(kPanel, p.cols - n);
      expanded::copy_columns(c, p.c_stride, rows, cols, sums, kPanel);
      for (int64_t k = 0; k < p.depth; k += kLeftChunk) {
        const int64_t depth = std::min(kLeftChunk, p.depth - k);
        const std::byte* chunk = panel + k / l.block * l.bytes;
        for (int64_t at = 0; at < depth / l.block * l.bytes; at += kLine)
          prefetch_far(chunk + expanded::kEncodedAhead + at);
        const auto w = expanded::expand(l, chunk, depth, as_it_is, room);
        multiply_chunk(registers, l, w, depth / l.encoding.part,
                       p.left + k / kLeftChunk * p.rows + first, rows, sums);
      }
      expanded::copy_columns(sums, kPanel, rows, cols, c, p.c_stride);
    }
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
