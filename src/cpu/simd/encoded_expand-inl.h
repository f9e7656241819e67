// A chunk of an encoded panel with its codes in bytes and its scales in FP32: made once, in L1, and
// multiplied with all rows.
#if defined(TILEWRIGHT_CPU_ENCODED_EXPAND_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ENCODED_EXPAND_INL
#undef TILEWRIGHT_CPU_ENCODED_EXPAND_INL
#else
#define TILEWRIGHT_CPU_ENCODED_EXPAND_INL
#endif

#include "hwy/highway.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/encoded_sums-inl.h"

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

struct Expanded {
  alignas(64) uint8_t codes[kLeftChunk / kQuad * kQuadRow];
  alignas(64) float scales[kLeftChunk / kSmallestPart * kPanel];
  alignas(64) float minima[kLeftChunk / kSmallestPart * kPanel];
};

// What tiles read: codes of a part, and where those of the next begin. Codes are unsigned bytes, or
// as the panel has them, with high bits apart.
struct ExpandedView {
  const uint8_t* codes;
  const uint8_t* high_bits;
  int64_t part_bytes, high_bytes;
  const float* scales;  // by part and column
  const float* minima;
};

template <int kHighBits>
HWY_INLINE void expand_codes(const uint8_t* low, const uint8_t* high, int64_t quads, uint8_t* out) {
  constexpr int kTogether = kHighBits == 0 ? 2 : 8 / kHighBits;  // quads that share high bits
  const auto step = static_cast<int64_t>(hn::Lanes(U8()));
  for (int64_t q = 0; q < quads; q += kTogether, high += kQuadRow)
    for (int64_t at = 0; at < kQuadRow; at += step) {
      Codes bits = hn::Zero(U8());
      if constexpr (kHighBits > 0) bits = hn::LoadU(U8(), high + at);
#pragma GCC unroll 4
      for (int64_t i = q; i < q + kTogether; i += 2) {
        const Codes both = hn::LoadU(U8(), low + i / 2 * kQuadRow + at);
        Codes first = low_nibbles(both);
        Codes second = high_nibbles(both);
        if constexpr (kHighBits > 0) {
          first = hn::Or(first, take_high_bits<kHighBits>(bits));
          second = hn::Or(second, take_high_bits<kHighBits>(bits));
        }
        hn::StoreU(first, U8(), out + i * kQuadRow + at);
        hn::StoreU(second, U8(), out + (i + 1) * kQuadRow + at);
      }
    }
}

HWY_INLINE void expand_by_table(const uint8_t* low, const int8_t* table, int64_t quads,
                                uint8_t* out) {
  const auto step = static_cast<int64_t>(hn::Lanes(U8()));
  const hn::CappedTag<uint8_t, 16> sixteen;
  alignas(64) uint8_t repeated[64];
  for (int i = 0; i < 64; i += 16)
    hn::StoreU(hn::LoadU(sixteen, reinterpret_cast<const uint8_t*>(table)), sixteen, repeated + i);
  const Codes values = as_dots_want(hn::LoadU(U8(), repeated));
  for (int64_t q = 0; q < quads; q += 2, low += kQuadRow, out += 2 * kQuadRow)
    for (int64_t at = 0; at < kQuadRow; at += step) {
      const Codes both = hn::LoadU(U8(), low + at);
      hn::StoreU(hn::TableLookupBytes(values, low_nibbles(both)), U8(), out + at);
      hn::StoreU(hn::TableLookupBytes(values, high_nibbles(both)), U8(), out + kQuadRow + at);
    }
}

HWY_INLINE V number_at(const std::byte* halves, int64_t column) {
  const hn::Rebind<hwy::float16_t, F32> f16;
  return hn::PromoteTo(F32(),
                       hn::LoadU(f16, reinterpret_cast<const hwy::float16_t*>(halves) + column));
}
HWY_INLINE V integer_at(const std::byte* integers, int64_t column) {
  const hn::Rebind<int8_t, F32> i8;
  return hn::ConvertTo(
      F32(),
      hn::PromoteTo(I32(), hn::LoadU(i8, reinterpret_cast<const int8_t*>(integers) + column)));
}

// Scales of the block times those of its parts, by part and column.
HWY_INLINE void expand_scales(const PanelLayout& l, const std::byte* scales, int64_t scale_bytes,
                              const std::byte* integers, float* out) {
  for (int64_t column = 0; column < kPanel; column += lanes()) {
    const V scale = scale_bytes == 4
                        ? hn::LoadU(F32(), reinterpret_cast<const float*>(scales) + column)
                        : number_at(scales, column);
    if (!l.encoding.part_scales) {
      hn::StoreU(scale, F32(), out + column);
      continue;
    }
    for (int64_t part = 0; part < l.parts; ++part)
      hn::StoreU(hn::Mul(scale, integer_at(integers + part * kPanel, column)), F32(),
                 out + part * kPanel + column);
  }
}

HWY_INLINE void expand_all_scales(const PanelLayout& l, const std::byte* block, int64_t depth,
                                  Expanded& to) {
  float* scales = to.scales;
  float* minima = to.minima;
  for (int64_t k = 0; k < depth; k += l.block, block += l.bytes, scales += l.parts * kPanel) {
    expand_scales(l, block, l.scale_bytes, block + l.part_scales, scales);
    if (!l.encoding.minima) continue;
    expand_scales(l, block + l.minima, 2, block + l.part_minima, minima);
    minima += l.parts * kPanel;
  }
}

// Signed codes as dot products want them.
HWY_INLINE void copy_codes(const uint8_t* from, int64_t quads, uint8_t* to) {
  const auto step = static_cast<int64_t>(hn::Lanes(U8()));
  for (int64_t at = 0; at < quads * kQuadRow; at += step)
    hn::StoreU(as_dots_want(hn::LoadU(U8(), from + at)), U8(), to + at);
}

HWY_INLINE void expand_all_codes(const PanelLayout& l, const std::byte* block, int64_t depth,
                                 uint8_t* codes) {
  const int64_t quads = l.block / kQuad;
  for (int64_t k = 0; k < depth; k += l.block, block += l.bytes, codes += quads * kQuadRow) {
    const auto* low = reinterpret_cast<const uint8_t*>(block + l.codes);
    const auto* high = reinterpret_cast<const uint8_t*>(block + l.high_bits);
    if (l.encoding.bits == 8)
      copy_codes(low, quads, codes);
    else if (l.encoding.table)
      expand_by_table(low, l.encoding.table, quads, codes);
    else if (l.encoding.bits == 6)
      expand_codes<2>(low, high, quads, codes);
    else if (l.encoding.bits == 5)
      expand_codes<1>(low, high, quads, codes);
    else
      expand_codes<0>(low, high, quads, codes);
  }
}

// Whether tiles can read the codes of a panel as they are: bytes, or nibbles without a table.
HWY_INLINE bool readable_as_it_is(const PanelLayout& l) { return !l.encoding.table; }

// `depth` k of a panel. Codes stay as they are where they are used once.
HWY_INLINE ExpandedView expand(const PanelLayout& l, const std::byte* panel, int64_t depth,
                               bool as_it_is, Expanded& to) {
  expand_all_scales(l, panel, depth, to);
  ExpandedView v{to.codes, to.codes, l.encoding.part / kQuad * kQuadRow, 0, to.scales, to.minima};
  if (!as_it_is) {
    expand_all_codes(l, panel, depth, to.codes);
    return v;
  }
  // A type with several parts in a block has one block in a chunk.
  v.codes = reinterpret_cast<const uint8_t*>(panel + l.codes);
  v.high_bits = reinterpret_cast<const uint8_t*>(panel + l.high_bits);
  v.part_bytes = l.parts > 1 ? kPanel * l.encoding.part * l.bits_stored() / 8 : l.bytes;
  v.high_bytes = l.parts > 1 ? kPanel * l.encoding.part * l.high_bits_of_code() / 8 : l.bytes;
  return v;
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
