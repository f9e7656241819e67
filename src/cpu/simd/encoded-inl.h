// Products with encoded weights: left rows are quantised, and every chunk of a panel is expanded
// once and multiplied with all rows, a few rows and vectors of columns at a time.
#if defined(TILEWRIGHT_CPU_ENCODED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ENCODED_INL
#undef TILEWRIGHT_CPU_ENCODED_INL
#else
#define TILEWRIGHT_CPU_ENCODED_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/encoded_expand-inl.h"
#include "tilewright/cpu/simd/encoded_sums-inl.h"

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

// ---- left rows ----

// As quantise_block_plain. Whole chunks at a time, so that blocks do not wait for each other's
// divisions.
HWY_INLINE int32_t largest_magnitude(const float* x) {
  const auto magnitude = hn::Set(I32(), 0x7FFFFFFF);
  auto most = hn::Zero(I32());
  for (int64_t i = 0; i < kLeftBlock; i += lanes())
    most = hn::Max(most, hn::And(hn::BitCast(I32(), hn::LoadU(F32(), x + i)), magnitude));
  return hn::GetLane(hn::MaxOfLanes(I32(), most));
}

// The factor of a block's numbers: 0 where all codes are.
HWY_INLINE float factor_of(int32_t largest_bits, float& scale) {
  const auto largest = std::bit_cast<float>(largest_bits);
  const float reciprocal = 127.0f / largest;
  const bool finite = largest_bits < 0x7F800000;
  const bool usable = finite && std::isfinite(reciprocal);
  scale = !finite ? std::numeric_limits<float>::quiet_NaN() : usable ? largest / 127.0f : 0.0f;
  return usable ? reciprocal : 0.0f;
}

HWY_INLINE void quantise_block(const float* x, float factor, int8_t* codes, int32_t* sums) {
  const hn::Rebind<int8_t, F32> i8;
  for (int64_t half = 0; half < 2; ++half) {
    auto sum = hn::Zero(I32());
    for (int64_t i = half * 16; i < half * 16 + 16; i += lanes()) {
      auto code = hn::Zero(I32());
      if (factor != 0)  // infinities and NaNs times 0 are no codes
        code = hn::NearestInt(hn::Mul(hn::LoadU(F32(), x + i), hn::Set(F32(), factor)));
      sum = hn::Add(sum, code);
      hn::StoreU(hn::DemoteTo(i8, code), i8, codes + i);
    }
    sums[half] = hn::GetLane(hn::SumOfLanes(I32(), sum));
  }
}

void quantise_rows(const float* x, int64_t stride, int64_t rows, int64_t n, QuantisedChunk* to) {
  for (int64_t m = 0; m < rows; ++m, x += stride) {
    QuantisedChunk& chunk = to[m];
    if (n < kLeftChunk) chunk = {};
    const int64_t blocks = n / kLeftBlock;
    int32_t largest[kLeftChunk / kLeftBlock];
    float factors[kLeftChunk / kLeftBlock];
    for (int64_t b = 0; b < blocks; ++b) largest[b] = largest_magnitude(x + b * kLeftBlock);
    for (int64_t b = 0; b < blocks; ++b) factors[b] = factor_of(largest[b], chunk.scales[b]);
    for (int64_t b = 0; b < blocks; ++b)
      quantise_block(x + b * kLeftBlock, factors[b], chunk.codes + b * kLeftBlock,
                     chunk.sums + b * (kLeftBlock / kSmallestPart));
  }
}

// ---- tiles ----

enum class Shift : uint8_t { None, Offset, Minimum };  // what is taken from a part's products

// Where tiles find codes: in bytes that were expanded, or in the panel, where they are bytes or
// nibbles with so many high bits.
enum Place : int8_t { kExpanded = -2, kPanelBytes = -1, kNibbles = 0 };

// How codes of one kind are read and summed: see encoded_sums-inl.h for kTogether.
template <int kPartElements, int kTogetherQuads, bool kSignedCodes, Shift kShiftKind, int kWhere>
struct CodeKind {
  static constexpr int kPlace = kWhere;
  static constexpr int kPart = kPartElements, kTogether = kTogetherQuads;
  static constexpr bool kSigned = kSignedCodes;
  static constexpr Shift kShift = kShiftKind;
};

// Rows whose sums fit the registers beside two vectors of columns.
inline constexpr int kEncodedRows = HWY_TARGET == HWY_AVX2 ? 4 : 8;
inline constexpr int64_t kEncodedLanes = static_cast<int64_t>(hn::MaxLanes(F32()));
// Vectors of a tile: one row has registers for more.
inline constexpr int vectors_of(int rows) {
  constexpr int kAll = static_cast<int>(kPanel / kEncodedLanes);
  return rows == 1 && kAll > 2 ? 4 : 2;
}

// What is fetched while the parts of a tile are multiplied, for each part so many lines: weights
// into L2, and the left rows of the next tile into L1. The same number for every part, or branches
// are not foreseen: a third of the rate with many rows.
struct EncodedAhead {
  const std::byte* weights;
  int64_t weight_lines;
  const std::byte* left;

  template <int64_t kLeftLines>
  HWY_INLINE void fetch(int64_t part) const {
    const std::byte* from = weights + part * weight_lines * kLine;
    for (int64_t i = 0; i < weight_lines; ++i) prefetch_far(from + i * kLine);
#pragma GCC unroll 8
    for (int64_t i = 0; i < kLeftLines; ++i) hwy::Prefetch(left + (part * kLeftLines + i) * kLine);
  }
};

// What depends on the sums of left codes, for each row and part of a chunk: what is taken from
// integer sums before they begin, and the factor of minima.
template <class Kind, int kRows>
struct OfLeftSums {
  static constexpr bool kTaken = Kind::kShift == Shift::Offset || (Kind::kSigned && kSignedOffset);
  static constexpr bool kMinima = Kind::kShift == Shift::Minimum;
  alignas(64) int32_t taken[kTaken ? kRows * kPartsOfChunk : 1];
  alignas(64) float minima[kMinima ? kRows * kPartsOfChunk : 1];

  HWY_INLINE HWY_ATTR OfLeftSums(const QuantisedChunk* x, int offset) {
    if constexpr (Kind::kSigned) offset = kSignedOffset;
    if constexpr (!kTaken && !kMinima) return;
    for (int m = 0; m < kRows; ++m)
      for (int64_t part = 0; part < kLeftChunk / Kind::kPart; ++part) {
        const int64_t at = m * kPartsOfChunk + part;
        const int32_t* sums = x[m].sums;
        const int32_t total =
            Kind::kPart == kSmallestPart ? sums[part] : sums[2 * part] + sums[2 * part + 1];
        if constexpr (kTaken) taken[at] = -total * offset;
        if constexpr (kMinima)
          minima[at] = x[m].scales[part * Kind::kPart / kLeftBlock] * static_cast<float>(total);
      }
  }
};

// kRows rows of a panel of c, which lie one after the other. Arguments are copied: the compiler
// would read them again after every store.
template <class Kind, int kRows>
void encoded_tile(const ExpandedView& view, int64_t parts, int offset, const QuantisedChunk* x,
                  float* c, const EncodedAhead& later) {
  constexpr int kVectors = vectors_of(kRows);
  constexpr int64_t kColumns = kVectors * kEncodedLanes;
  constexpr bool kKept = kRows * kVectors <= 4;  // sums of floats stay in registers
  constexpr int64_t kLeftLines =
      (kRows * static_cast<int64_t>(sizeof(QuantisedChunk)) * Kind::kPart / kLeftChunk + kLine -
       1) /
      kLine;
  using LeftSums = OfLeftSums<Kind, kRows>;
  const ExpandedView w = view;
  const EncodedAhead ahead = later;
  const LeftSums left(x, offset);
  for (int64_t column = 0; column < kPanel; column += kColumns) {
    V kept[kRows][kVectors];
    const auto place = [&](int m, int v) { return c + m * kPanel + column + v * kEncodedLanes; };
    if constexpr (kKept)
      for (int m = 0; m < kRows; ++m)
        for (int v = 0; v < kVectors; ++v) kept[m][v] = hn::Load(F32(), place(m, v));
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t k = part * Kind::kPart;
      const uint8_t* codes = w.codes + part * w.part_bytes + column * kQuad;
      const auto source = [&] {
        if constexpr (Kind::kPlace < kNibbles)
          return ByteCodes < kVectors, Kind::kSigned && Kind::kPlace == kPanelBytes > {codes};
        else
          return NibbleCodes<kVectors, Kind::kPlace>(codes, w.high_bits + part * w.high_bytes +
                                                                column * kQuad);
      }();
      const PartSums<Kind::kPart / kQuad, Kind::kTogether, Kind::kSigned, kRows, kVectors> products(
          source, x, k, LeftSums::kTaken ? left.taken + part : nullptr);
      if (column == 0) ahead.template fetch<kLeftLines>(part);
      const float* scales = w.scales + part * kPanel + column;
      const float* minima = w.minima + part * kPanel + column;
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m) {
        const V scale = hn::Set(F32(), x[m].scales[k / kLeftBlock]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          const V factor = hn::Mul(scale, hn::Load(F32(), scales + v * kEncodedLanes));
          V out = kKept ? kept[m][v] : hn::Load(F32(), place(m, v));
          out = hn::MulAdd(hn::ConvertTo(F32(), products.sum[m][v]), factor, out);
          if constexpr (Kind::kShift == Shift::Minimum)
            out = hn::NegMulAdd(hn::Load(F32(), minima + v * kEncodedLanes),
                                hn::Set(F32(), left.minima[m * kPartsOfChunk + part]), out);
          if constexpr (kKept)
            kept[m][v] = out;
          else
            hn::Store(out, F32(), place(m, v));
        }
      }
    }
    if constexpr (kKept)
      for (int m = 0; m < kRows; ++m)
        for (int v = 0; v < kVectors; ++v) hn::Store(kept[m][v], F32(), place(m, v));
  }
}

using EncodedTile = void (*)(const ExpandedView&, int64_t, int, const QuantisedChunk*, float*,
                             const EncodedAhead&);
using EncodedTiles = std::array<EncodedTile, kEncodedRows>;  // of 1, 2, ... rows

template <class Kind, int... kRows>
constexpr EncodedTiles tiles_of(std::integer_sequence<int, kRows...>) {
  return {encoded_tile<Kind, kRows + 1>...};
}
template <int kPart, int kTogether, bool kSigned, Shift kShift, int kPlace>
const EncodedTiles& tiles_of_kind() {
  static constexpr EncodedTiles kTiles =
      tiles_of<CodeKind<kPart, kTogether, kSigned, kShift, kPlace>>(
          std::make_integer_sequence<int, kEncodedRows>());
  return kTiles;
}
template <int kPart, int kTogether, Shift kShift, int kHighBits>
const EncodedTiles& unsigned_tiles(bool as_it_is) {
  return as_it_is ? tiles_of_kind<kPart, kTogether, false, kShift, kNibbles + kHighBits>()
                  : tiles_of_kind<kPart, kTogether, false, kShift, kExpanded>();
}

HWY_INLINE const EncodedTiles& tiles_for(const PanelLayout& l, bool as_it_is) {
  if (l.is_signed())
    return as_it_is ? tiles_of_kind<32, 1, true, Shift::None, kPanelBytes>()
                    : tiles_of_kind<32, 1, true, Shift::None, kExpanded>();
  const bool minima = l.encoding.minima;
  if (l.encoding.part == 16) {
    if (l.encoding.bits == 6) return unsigned_tiles<16, 2, Shift::Offset, 2>(as_it_is);
    return minima ? unsigned_tiles<16, 4, Shift::Minimum, 0>(as_it_is)
                  : unsigned_tiles<16, 4, Shift::Offset, 0>(as_it_is);
  }
  if (l.encoding.bits == 5)
    return minima ? unsigned_tiles<32, 4, Shift::Minimum, 1>(as_it_is)
                  : unsigned_tiles<32, 4, Shift::Offset, 1>(as_it_is);
  return minima ? unsigned_tiles<32, 8, Shift::Minimum, 0>(as_it_is)
                : unsigned_tiles<32, 8, Shift::Offset, 0>(as_it_is);
}

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
  // Rows whose codes stay in L1 or L2 while a chunk of the weights is used.
  constexpr int64_t kRowsAtOnce = 64;
  const PanelLayout& l = *p.layout;
  // A few rows use every code once: making bytes of them first costs more than it saves.
  const bool as_it_is = readable_as_it_is(l) && p.rows <= kEncodedRows;
  const EncodedTiles& tiles = tiles_for(l, as_it_is);
  Expanded expanded;
  // Sums of a panel, one row after the other. In c rows often lie so far apart that they share a
  // few sets of L1.
  alignas(64) float sums[kRowsAtOnce * kPanel];
  for (int64_t first = 0; first < p.rows; first += kRowsAtOnce) {
    const int64_t rows = std::min(kRowsAtOnce, p.rows - first);
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
