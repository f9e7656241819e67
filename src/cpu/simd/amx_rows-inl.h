// Products of BF16 in the tile registers of AMX with a right operand that lies in rows, as V does
// in a cache: two rows at a time are interleaved.
#pragma once  // for one target only

#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/amx_operands-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

// Columns and rows that are worked on at a time, a group of k after the other: 8 KiB of pairs, up
// to 64 KiB of sums. With two groups at a time memory is asked unevenly.
inline constexpr int64_t kChunkCols = 128;
inline constexpr int64_t kChunkRows = 128;

// Interleaving puts columns where it is cheapest: of every eight, the first four into one tile and
// the others into the next. Sums of 32 columns lie like that until they are done. Calls `copy` with
// four columns and their place, or with fewer at the end.
template <class Copy>
HWY_INLINE void each_four(int64_t cols, const Copy& copy) {
  int64_t block = 0;
  for (; block + kPanel <= cols; block += kPanel) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < 4; ++i) {
      copy(block + 8 * i, block + 4 * i, 4);
      copy(block + 8 * i + 4, block + 4 * i + kSide, 4);
    }
  }
  for (int64_t c = block; c < cols; c += 4)
    copy(c, block + (c - block) / 8 * 4 + c / 4 % 2 * kSide, std::min<int64_t>(4, cols - c));
}
HWY_INLINE void copy_four(const float* from, int64_t count, float* to) {
  if (count == 4)
    std::memcpy(to, from, 16);
  else
    std::copy_n(from, count, to);
}

// A group of rows of b as tiles of pairs; k from `depth` on, and columns that fill up the last 32,
// are zero.
HWY_INLINE void pair_rows(const uint16_t* b, int64_t stride, int64_t depth, int64_t cols,
                          Stream& stream, const void* near, uint16_t* pairs) {
  const hn::ScalableTag<uint16_t> d;
  const int64_t blocks = (cols + kPanel - 1) / kPanel;
  const auto load = [&](const uint16_t* row, int64_t block) HWY_ATTR {
    const int64_t left = cols - block * kPanel;
    const uint16_t* from = row + block * kPanel;
    return left >= kPanel ? hn::LoadU(d, from)
                          : hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(left)), d, from);
  };
  for (int64_t k = 0; k < kGroupK; k += 2) {
    const Ahead ahead = next_of(stream, blocks, near);
    const uint16_t* row = b + k * stride;
    uint16_t* out = pairs + k * kSide;
    for (int64_t block = 0; block < blocks; ++block, out += 2 * kTile) {
      ahead.fetch(block);
      const auto even = k < depth ? load(row, block) : hn::Zero(d);
      const auto odd = k + 1 < depth ? load(row + stride, block) : hn::Zero(d);
      hn::Store(hn::InterleaveLower(d, even, odd), d, out);
      hn::Store(hn::InterleaveUpper(d, even, odd), d, out + kTile);
    }
  }
}

// Rows [first, first + rows) of p, columns [n0, n0 + cols).
template <class Unit>
HWY_INLINE void multiply_some_rows(Registers<Unit>& registers, const Product& p, int64_t first,
                                   int64_t rows, int64_t n0, int64_t cols, const uint16_t* b,
                                   int64_t stride, Stream& stream) {
  alignas(64) static thread_local uint16_t pairs[kGroupK * kChunkCols];
  alignas(64) static thread_local float sums[kChunkRows * kChunkCols];
  float* c = p.c + first * p.c_stride + n0;
  for (int64_t m = 0; m < rows && !p.fresh; ++m)
    each_four(cols, [&](int64_t col, int64_t place, int64_t count) HWY_ATTR {
      copy_four(c + m * p.c_stride + col, count, sums + m * kChunkCols + place);
    });
  // Half of what is fetched by the blocks of sums, the other half by pairing.
  const int64_t blocks = ((rows + 2 * kSide - 1) / (2 * kSide)) * ((cols + kPanel - 1) / kPanel);
  for (int64_t k0 = 0; k0 < p.depth; k0 += kGroupK) {
    const int64_t depth = std::min(kGroupK, p.depth - k0);
    pair_rows(b + k0 * stride + n0, stride, depth, cols, stream, p.a, pairs);
    const int64_t lines = std::max<int64_t>(1, depth * cols / kLine / blocks);
    for (int64_t m = 0; m < rows; m += 2 * kSide) {
      const LeftBlock left(p, first + m, k0);
      for (int64_t n = 0; n < cols; n += kPanel) {
        const uint16_t* tile = pairs + n * kGroupK;
        add_block(registers, left.extents(kPanel), left.tiles, Tiles{{tile, tile + kTile}}, 1,
                  {sums + m * kChunkCols + n, kChunkCols, p.fresh && k0 == 0},
                  [&](int64_t) HWY_ATTR { fetch_next(stream, lines, p.a); });
      }
    }
  }
  for (int64_t m = 0; m < rows; ++m)
    each_four(cols, [&](int64_t col, int64_t place, int64_t count) HWY_ATTR {
      copy_four(sums + m * kChunkCols + place, count, c + m * p.c_stride + col);
    });
}

template <class Unit>
void multiply_rows(const Product& p, const uint16_t* b, int64_t stride, Stream& stream) {
  Registers<Unit> registers;
  fetch_first(stream, b, p.depth, stride * 2);
  for (int64_t first = 0; first < p.rows; first += kChunkRows)
    for (int64_t n0 = 0; n0 < p.cols; n0 += kChunkCols)
      multiply_some_rows(registers, p, first, std::min(kChunkRows, p.rows - first), n0,
                         std::min(kChunkCols, p.cols - n0), b, stride, stream);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
