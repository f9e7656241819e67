// Products of signed bytes: a panel's quads with four bytes of a left row, a few rows and vectors
// of columns at a time.
//
// Without dot products of bytes the even and the odd bytes of a quad are widened to 16 bits. Two
// products of bytes add up to 2^15 at most, so that sums of pairs are exact in 32 bits. With dot
// products, which want one side unsigned, weights are moved up by 128, and 128 times the sum of the
// left row is taken away again.
#if defined(TILEWRIGHT_CPU_BYTES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_BYTES_INL
#undef TILEWRIGHT_CPU_BYTES_INL
#else
#define TILEWRIGHT_CPU_BYTES_INL
#endif

#include <algorithm>
#include <array>
#include <utility>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/bytes.h"
#include "tilewright/cpu/simd/encoded_sums-inl.h"

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

// Products of 16-bit numbers, pairs added.
HWY_INLINE Sums wide_pair_sums(Pairs a, Pairs b) {
#if HWY_TARGET == HWY_AVX2
  return Sums{_mm256_madd_epi16(a.raw, b.raw)};
#elif HWY_ARCH_X86
  return Sums{_mm512_madd_epi16(a.raw, b.raw)};
#else
  return Sums(vpaddq_s32(vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw)),
                         vmull_high_s16(a.raw, b.raw)));
#endif
}

// Bytes 0 and 2 of every quad, and bytes 1 and 3, as 16-bit numbers.
struct WideQuads {
  Pairs even, odd;

  HWY_INLINE HWY_ATTR explicit WideQuads(Pairs quads)
      : even(hn::ShiftRight<8>(hn::ShiftLeft<8>(quads))), odd(hn::ShiftRight<8>(quads)) {}
};

// Rows whose sums fit the registers beside two vectors of columns.
inline constexpr int kByteRows = HWY_TARGET == HWY_AVX2 ? 4 : 8;
inline constexpr int kByteVectors = 2;
inline constexpr int64_t kByteLanes = static_cast<int64_t>(hn::MaxLanes(F32()));
// k of a panel that stay in L1 while all rows are multiplied with them: 16 KiB.
inline constexpr int64_t kByteChunk = 512;
inline constexpr int64_t kByteRowsAtOnce = 64;

// A stretch of k of a panel, the left rows beside it, and the columns of c it adds to.
struct ByteStretch {
  const int8_t* quads;
  int64_t count;  // quads
  const int8_t* left;
  int64_t left_stride;
  uint32_t* c;
  int64_t c_stride;
  const int32_t* taken;  // from the sums of each row; null: nothing
};

template <int kRows>
void byte_tile(const ByteStretch& s) {
  for (int64_t column = 0; column < kPanel; column += kByteVectors * kByteLanes) {
    Sums sum[kRows][kByteVectors];
    const auto place = [&](int m, int v) {
      return reinterpret_cast<int32_t*>(s.c + m * s.c_stride + column + v * kByteLanes);
    };
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 8
      for (int v = 0; v < kByteVectors; ++v) {
        sum[m][v] = hn::LoadU(I32(), place(m, v));
        if (s.taken) sum[m][v] = hn::Sub(sum[m][v], hn::Set(I32(), s.taken[m]));
      }
    for (int64_t q = 0; q < s.count; ++q) {
      const auto* at = reinterpret_cast<const uint8_t*>(s.quads + q * kQuadRow + column * kQuad);
#if TILEWRIGHT_CPU_HAS_DOTS
      Codes w[kByteVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kByteVectors; ++v)
        w[v] = as_dots_want(hn::LoadU(U8(), at + v * kByteLanes * kQuad));
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m) {
        const auto four = four_codes(s.left + m * s.left_stride + q * kQuad);
#pragma GCC unroll 8
        for (int v = 0; v < kByteVectors; ++v) sum[m][v] = add_dots(sum[m][v], w[v], four);
      }
#else
      const auto wide = [&](int v) {
        return WideQuads(hn::BitCast(I16(), hn::LoadU(U8(), at + v * kByteLanes * kQuad)));
      };
      const WideQuads w[kByteVectors] = {wide(0), wide(1)};
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m) {
        const auto four = four_codes(s.left + m * s.left_stride + q * kQuad);
        const WideQuads x(hn::BitCast(I16(), four));
#pragma GCC unroll 8
        for (int v = 0; v < kByteVectors; ++v) {
          sum[m][v] = hn::Add(sum[m][v], wide_pair_sums(w[v].even, x.even));
          sum[m][v] = hn::Add(sum[m][v], wide_pair_sums(w[v].odd, x.odd));
          in_order(sum[m][v]);
        }
      }
#endif
    }
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 8
      for (int v = 0; v < kByteVectors; ++v) hn::StoreU(sum[m][v], I32(), place(m, v));
  }
}

using ByteTile = void (*)(const ByteStretch&);
template <std::size_t... kRows>
constexpr std::array<ByteTile, sizeof...(kRows)> byte_tiles(std::index_sequence<kRows...>) {
  return {byte_tile<static_cast<int>(kRows) + 1>...};
}

// All k of one panel with up to kByteRowsAtOnce rows.
HWY_INLINE void multiply_byte_panel(const ByteProduct& p, const int8_t* panel, int64_t first,
                                    int64_t rows, uint32_t* c, int64_t c_stride,
                                    const int32_t* taken) {
  static constexpr auto kTiles = byte_tiles(std::make_index_sequence<kByteRows>());
  for (int64_t k = 0; k < p.depth; k += kByteChunk)
    for (int64_t m = 0; m < rows; m += kByteRows) {
      const int64_t count = std::min<int64_t>(kByteRows, rows - m);
      kTiles[static_cast<std::size_t>(count - 1)](
          {panel + k * kPanel, std::min(kByteChunk, p.depth - k) / kQuad,
           p.left + (first + m) * p.left_stride + k, p.left_stride, c + m * c_stride, c_stride,
           kSignedOffset != 0 && k == 0 ? taken + m : nullptr});
    }
}

void multiply_bytes(const ByteProduct& p) {
  int32_t taken[kByteRowsAtOnce];
  uint32_t buffer[kByteRowsAtOnce * kPanel];
  for (int64_t first = 0; first < p.rows; first += kByteRowsAtOnce) {
    const int64_t rows = std::min(kByteRowsAtOnce, p.rows - first);
    for (int64_t m = 0; kSignedOffset != 0 && m < rows; ++m) {
      const int8_t* x = p.left + (first + m) * p.left_stride;
      uint32_t sum = 0;
      for (int64_t k = 0; k < p.depth; ++k) sum += static_cast<uint32_t>(x[k]);
      taken[m] = static_cast<int32_t>(sum * kSignedOffset);
    }
    const int8_t* panel = p.panels;
    for (int64_t n = 0; n < p.cols; n += kPanel, panel += p.panel_stride) {
      uint32_t* c = p.c + first * p.c_stride + n;
      const int64_t cols = std::min(kPanel, p.cols - n);
      if (cols == kPanel) {
        multiply_byte_panel(p, panel, first, rows, c, p.c_stride, taken);
        continue;
      }
      for (int64_t m = 0; m < rows; ++m) std::copy_n(c + m * p.c_stride, cols, buffer + m * kPanel);
      multiply_byte_panel(p, panel, first, rows, buffer, kPanel, taken);
      for (int64_t m = 0; m < rows; ++m) std::copy_n(buffer + m * kPanel, cols, c + m * p.c_stride);
    }
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
