// Operands of products in the tile registers of AMX. A left operand is packed in tiles: of every 16
// rows, group after group of 32 k, row after row. A right operand is read where it lies.
#pragma once  // for one target only

#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx-inl.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

void pack_left(const uint16_t* x, int64_t stride, int64_t k, int64_t n, const Left& to) {
  const int64_t padded = whole_groups(to.depth);
  auto* tiles = reinterpret_cast<uint16_t*>(to.data);
  const int64_t end = k + n == to.depth ? padded : k + n;  // zeros up to the end of the group
  for (int64_t first = 0; first < to.rows; first += kSide) {
    const int64_t rows = std::min(kSide, to.rows - first);
    for (int64_t i = k; i < end;) {
      const int64_t group = i / kGroupK;
      const int64_t within = i % kGroupK;
      const int64_t count = std::min(kGroupK - within, end - i);
      const int64_t real = std::clamp<int64_t>(k + n - i, 0, count);
      uint16_t* out = tiles + first * padded + group * rows * kGroupK + within;
      for (int64_t m = 0; m < rows; ++m, out += kGroupK) {
        if (real == kGroupK) {
          std::memcpy(out, x + (first + m) * stride + i - k, kGroupK * 2);
        } else {
          std::copy_n(x + (first + m) * stride + i - k, real, out);
          std::fill_n(out + real, count - real, uint16_t{0});
        }
      }
      i += count;
    }
  }
}

// Up to 32 rows of a packed left operand from `first` on.
struct LeftBlock {
  Tiles tiles;
  int64_t rows[2];

  HWY_INLINE LeftBlock(const Product& p, int64_t first, int64_t k0) {
    split(p.rows - first, rows);
    const int64_t padded = whole_groups(p.depth);
    const auto* a = reinterpret_cast<const uint16_t*>(p.a);
    for (int i = 0; i < 2; ++i) {
      tiles.step[i] = rows[i] * kGroupK;
      tiles.at[i] = a + (first + i * kSide) * padded + k0 / kGroupK * tiles.step[i];
    }
  }
  // With as many columns.
  HWY_INLINE Extents extents(int64_t cols) const {
    Extents e;
    std::copy_n(rows, 2, e.rows);
    split(cols, e.cols);
    return e;
  }
};

HWY_INLINE void fetch_next(Stream& stream, int64_t lines, const void* near) {
  const Ahead ahead = next_of(stream, lines, near);
  for (int64_t line = 0; line < lines; ++line) ahead.fetch(line);
}

// Fetches the first rows of a right operand if nobody has, line after line: the hardware's own
// prefetcher then joins in, as it does not when tiles are loaded, 16 rows side by side.
inline constexpr int64_t kFirstRows = 2 * kSide;
HWY_INLINE void fetch_first(Stream& stream, const uint16_t* b, int64_t rows, int64_t row_bytes) {
  if (stream.from != reinterpret_cast<const std::byte*>(b)) return;
  fetch_next(stream, std::min(rows, kFirstRows) * row_bytes / kLine, b);
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
