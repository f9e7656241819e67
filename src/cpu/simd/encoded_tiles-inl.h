// Tiles of products with encoded weights: a few left rows, a panel, and the parts of a chunk of k.
#if defined(TILEWRIGHT_CPU_ENCODED_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ENCODED_TILES_INL
#undef TILEWRIGHT_CPU_ENCODED_TILES_INL
#else
#define TILEWRIGHT_CPU_ENCODED_TILES_INL
#endif

#include <array>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/encoded_expand-inl.h"
#include "tilewright/cpu/simd/encoded_sums-inl.h"

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

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
// into L2, and the left rows of the next tile into L1. As many for every part, so that the loops
// are foreseen.
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

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
