// Products with encoded weights: every chunk of a panel is expanded once and multiplied with all
// rows, a tile at a time. Also the rate of products of bytes, their limit.
#if defined(TILEWRIGHT_CPU_ENCODED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ENCODED_INL
#undef TILEWRIGHT_CPU_ENCODED_INL
#else
#define TILEWRIGHT_CPU_ENCODED_INL
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/encoded_expand-inl.h"
#include "tilewright/cpu/simd/encoded_left-inl.h"
#include "tilewright/cpu/simd/encoded_sums-inl.h"
#include "tilewright/cpu/simd/encoded_tiles-inl.h"

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

// ---- the machine's limit ----

// Pairs of products, and their sums: what every code needs at least when pairs cannot be added as
// 16-bit numbers.
float integer_rounds(int64_t rounds) {
  constexpr int kChains = 10;
  Sums acc[kChains];
  for (int i = 0; i < kChains; ++i) acc[i] = hn::Set(I32(), i);
  const Codes w = hn::Set(U8(), 3);
  auto x = hn::Set(I8(), 5);
  for (int64_t left = rounds * kFmaPerRound; left > 0; left -= kChains * lanes() * kQuad) {
#pragma GCC unroll 10
    for (int i = 0; i < kChains; ++i) {
#if TILEWRIGHT_CPU_HAS_DOTS
      acc[i] = add_dots(acc[i], w, x);
#else
      acc[i] = hn::Add(acc[i], pair_sums(unsigned_pairs(w, x)));
#endif
    }
    in_order(x);  // or one product would serve all rounds
  }
  for (int i = 1; i < kChains; ++i) acc[0] = hn::Add(acc[0], acc[i]);
  return static_cast<float>(hn::GetLane(acc[0]));
}

// ---- all of a product ----

// Copies the columns of c that a panel adds to: nearly always all of them.
HWY_INLINE void copy_columns(const float* from, int64_t from_stride, int64_t rows, int64_t cols,
                             float* to, int64_t to_stride) {
  for (int64_t m = 0; m < rows; ++m, from += from_stride, to += to_stride) {
    if (cols < kPanel) {
      std::copy_n(from, cols, to);
      continue;
    }
    for (int64_t i = 0; i < kPanel; i += lanes())
      hn::StoreU(hn::LoadU(F32(), from + i), F32(), to + i);
  }
}

// A chunk of a panel and the left rows it is multiplied with.
struct EncodedChunk {
  const PanelLayout& layout;
  const std::byte* weights;
  int64_t depth;
  const QuantisedChunk* left;
  int64_t rows;
  const QuantisedChunk* next_left;  // what is multiplied after the last rows
};

// Measured with one row of Q8_0. AVX2 on Zen 3: 8 and 16 KiB ahead read at 90 % of bandwidth, 4 KiB
// at 70 %, 2 KiB into L1 besides at 75 %, nothing at 50 %. AVX-512 on Cascade Lake: 12 to 32 KiB at
// 78 to 83 %, 8 KiB at 76 %, 1 KiB at 62 %; into L1 besides makes no difference.
inline constexpr int64_t kEncodedAhead = 16 * 1024;

void multiply_chunk(const EncodedTiles& tiles, bool as_it_is, const EncodedChunk& chunk, float* c,
                    Expanded& expanded) {
  const PanelLayout& l = chunk.layout;
  const ExpandedView w = expand(l, chunk.weights, chunk.depth, as_it_is, expanded);
  const int64_t parts = chunk.depth / l.encoding.part;
  const int64_t steps = parts * ((chunk.rows + kEncodedRows - 1) / kEncodedRows);
  // Evenly over all tiles: the buffers for lines on their way are few.
  const int64_t lines = (chunk.depth / l.block * l.bytes / kLine + steps - 1) / steps;
  const std::byte* later = chunk.weights + kEncodedAhead;
  for (int64_t m = 0; m < chunk.rows; m += kEncodedRows, later += parts * lines * kLine) {
    const auto count = std::min<int64_t>(kEncodedRows, chunk.rows - m);
    const QuantisedChunk* x = chunk.left + m;
    const QuantisedChunk* next = m + kEncodedRows < chunk.rows ? x + kEncodedRows : chunk.next_left;
    tiles[static_cast<std::size_t>(count - 1)](w, parts, l.encoding.offset, x, c + m * kPanel,
                                               {later, lines,
                                                reinterpret_cast<const std::byte*>(next)});
  }
}

void multiply_encoded(const EncodedProduct& p) {
  const PanelLayout& l = *p.layout;
  // One or two tiles use every code once or twice: making bytes of them first costs more than it
  // saves.
  const bool as_it_is = readable_as_it_is(l) && p.rows <= 2 * kEncodedRows;
  const EncodedTiles& tiles = tiles_for(l, as_it_is);
  Expanded expanded;
  // Sums of a panel, one row after the other. In c rows often lie so far apart that they share a
  // few sets of L1.
  alignas(64) float sums[kEncodedRowsAtOnce * kPanel];
  for (int64_t first = 0; first < p.rows; first += kEncodedRowsAtOnce) {
    const int64_t rows = std::min(kEncodedRowsAtOnce, p.rows - first);
    const std::byte* panel = p.panels;
    for (int64_t n = 0; n < p.cols; n += kPanel, panel += p.panel_stride) {
      float* c = p.c + first * p.c_stride + n;
      const int64_t cols = std::min(kPanel, p.cols - n);
      copy_columns(c, p.c_stride, rows, cols, sums, kPanel);
      for (int64_t k = 0; k < p.depth; k += kLeftChunk) {
        const QuantisedChunk* x = p.left + k / kLeftChunk * p.rows + first;
        const QuantisedChunk* next = k + kLeftChunk < p.depth ? x + p.rows : p.left + first;
        multiply_chunk(tiles, as_it_is,
                       {l, panel + k / l.block * l.bytes, std::min(kLeftChunk, p.depth - k), x,
                        rows, next},
                       sums, expanded);
      }
      copy_columns(sums, kPanel, rows, cols, c, p.c_stride);
    }
  }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
