// Sums of products of codes, exact, in the lanes of the columns: quads of unsigned or signed bytes
// with four codes of a left row.
//
// Products of pairs are 16-bit sums, and instructions that make them saturate. They never do here.
// A left code is at most 127 in magnitude, so a pair of products with codes up to 15, 31 or 63 is
// at most 3810, 7874 or 16002, and 8, 4 or 2 such pairs add up to at most 32004. Signed codes reach
// 128, a pair 32512. encoded_test.cc computes with these codes.
#if defined(TILEWRIGHT_CPU_ENCODED_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_ENCODED_SUMS_INL
#undef TILEWRIGHT_CPU_ENCODED_SUMS_INL
#else
#define TILEWRIGHT_CPU_ENCODED_SUMS_INL
#endif

#include "hwy/highway.h"
#include "tilewright/cpu/simd/encoded.h"
#include "tilewright/cpu/simd/vectors-inl.h"

#define TILEWRIGHT_CPU_HAS_ENCODED (HWY_ARCH_X86 || HWY_ARCH_ARM_A64)

// Products of bytes are compiled twice for x86: vector.cc adds them in pairs; vnni.cc, which
// defines TILEWRIGHT_CPU_HAS_DOTS as 1, adds four at once by instructions that Highway's target
// need not have.
#ifndef TILEWRIGHT_CPU_HAS_DOTS
#define TILEWRIGHT_CPU_HAS_DOTS 0
#endif
#if TILEWRIGHT_CPU_HAS_DOTS
#define TILEWRIGHT_CPU_BYTE_SUMS by_dots
#else
#define TILEWRIGHT_CPU_BYTE_SUMS by_pairs
#endif

#if TILEWRIGHT_CPU_HAS_ENCODED
HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS {

using U8 = hn::Repartition<uint8_t, F32>;
using I8 = hn::Repartition<int8_t, F32>;
using I16 = hn::Repartition<int16_t, F32>;
using Codes = hn::Vec<U8>;
using Pairs = hn::Vec<I16>;
using Sums = hn::Vec<I32>;

// Makes the compiler add in the order that is written. It knows that integer sums have none, makes
// all products of a part first, and has no registers for them: 2.5 times slower.
template <class V>
HWY_INLINE void in_order(V& v) {
#if HWY_ARCH_X86
  asm("" : "+v"(v.raw));
#else
  asm("" : "+w"(v.raw));
#endif
}

// A zero of its own for every accumulator: clearing a register is free, copying one is not.
HWY_INLINE Sums own_zero() {
  Sums zero = hn::Zero(I32());
#if HWY_TARGET == HWY_AVX3
  asm volatile("vpxord %0, %0, %0" : "=v"(zero.raw));
#endif
  return zero;
}

// Four codes of a left row in every lane.
HWY_INLINE hn::Vec<I8> four_codes(const int8_t* at) {
  int32_t four = 0;
  __builtin_memcpy(&four, at, 4);
  return hn::BitCast(I8(), hn::Set(I32(), four));
}

// w * x, pairs added: of codes up to 63, and of signed ones.
#if HWY_TARGET == HWY_AVX2
HWY_INLINE Pairs unsigned_pairs(Codes w, hn::Vec<I8> x) {
  return Pairs{_mm256_maddubs_epi16(w.raw, x.raw)};
}
HWY_INLINE Pairs signed_pairs(Codes w, hn::Vec<I8> x) {
  return Pairs{_mm256_maddubs_epi16(_mm256_abs_epi8(w.raw), _mm256_sign_epi8(x.raw, w.raw))};
}
HWY_INLINE Sums pair_sums(Pairs p) { return Sums{_mm256_madd_epi16(p.raw, _mm256_set1_epi16(1))}; }
#elif HWY_ARCH_X86
HWY_INLINE Pairs unsigned_pairs(Codes w, hn::Vec<I8> x) {
  return Pairs{_mm512_maddubs_epi16(w.raw, x.raw)};
}
HWY_INLINE Pairs signed_pairs(Codes w, hn::Vec<I8> x) {
  const __m512i turned =
      _mm512_mask_sub_epi8(x.raw, _mm512_movepi8_mask(w.raw), _mm512_setzero_si512(), x.raw);
  return Pairs{_mm512_maddubs_epi16(_mm512_abs_epi8(w.raw), turned)};
}
HWY_INLINE Sums pair_sums(Pairs p) { return Sums{_mm512_madd_epi16(p.raw, _mm512_set1_epi16(1))}; }
#else
HWY_INLINE Pairs signed_pairs(Codes w, hn::Vec<I8> x) {
  const int8x16_t codes = vreinterpretq_s8_u8(w.raw);
  return Pairs(
      vpaddq_s16(vmull_s8(vget_low_s8(codes), vget_low_s8(x.raw)), vmull_high_s8(codes, x.raw)));
}
HWY_INLINE Pairs unsigned_pairs(Codes w, hn::Vec<I8> x) { return signed_pairs(w, x); }
HWY_INLINE Sums pair_sums(Pairs p) { return Sums(vpaddlq_s16(p.raw)); }
#endif

// Dot products of bytes multiply unsigned codes, so signed ones are moved up by 128.
inline constexpr int kSignedOffset = TILEWRIGHT_CPU_HAS_DOTS ? 128 : 0;
HWY_INLINE Codes as_dots_want(Codes w) {
  return kSignedOffset == 0 ? w : hn::Xor(w, hn::Set(U8(), kSignedOffset));
}
#if TILEWRIGHT_CPU_HAS_DOTS

// In assembly, since the compiler is not told that this machine has the instruction.
HWY_INLINE Sums add_dots(Sums sum, Codes w, hn::Vec<I8> x) {
#if HWY_TARGET == HWY_AVX2
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(w.raw), "x"(x.raw));
#else
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(w.raw), "v"(x.raw));
#endif
  return sum;
}
// The same with the four codes at x in every lane.
HWY_INLINE Sums add_repeated_dots(Sums sum, Codes w, const int8_t* x) {
#if HWY_TARGET == HWY_AVX2
  return add_dots(sum, w, four_codes(x));
#else
  using Four = const int8_t[kQuad];
  asm("vpdpbusd %2%{1to16%}, %1, %0"
      : "+v"(sum.raw)
      : "v"(w.raw), "m"(*reinterpret_cast<Four*>(x)));
  return sum;
#endif
}
#endif

// ---- where codes come from ----

HWY_INLINE Codes low_nibbles(Codes x) { return hn::And(x, hn::Set(U8(), 15)); }
HWY_INLINE Codes high_nibbles(Codes x) {
  const hn::RepartitionToWide<U8> wide;
  return low_nibbles(hn::BitCast(U8(), hn::ShiftRight<4>(hn::BitCast(wide, x))));
}

// The next high bits of a code, as bits 4 and up. Bits that come from the neighbouring byte are
// above those that are still to be used.
template <int kBits>
HWY_INLINE Codes take_high_bits(Codes& high) {
  const hn::RepartitionToWide<U8> wide;
  const auto bits = hn::BitCast(wide, high);
  high = hn::BitCast(U8(), hn::ShiftRight<kBits>(bits));
  return hn::And(hn::BitCast(U8(), hn::ShiftLeft<4>(bits)), hn::Set(U8(), ((1 << kBits) - 1) << 4));
}

// Codes in bytes: row after row of quads. Those of a panel may be signed.
template <int kVectors, bool kSignedPanel>
struct ByteCodes {
  const uint8_t* at;

  HWY_INLINE Codes quad(int q, int v) {
    const Codes w = hn::LoadU(U8(), at + q * kQuadRow + v * lanes() * kQuad);
    return kSignedPanel ? as_dots_want(w) : w;
  }
};

// Codes of four bits and `kHighBits` more, as panels have them; quads are asked for in order.
template <int kVectors, int kHighBits>
struct NibbleCodes {
  const uint8_t* at;
  Codes both[kVectors];
  Codes high[kVectors];

  HWY_INLINE HWY_ATTR NibbleCodes(const uint8_t* low, const uint8_t* high_bits) : at(low) {
    if constexpr (kHighBits > 0)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) high[v] = hn::LoadU(U8(), high_bits + v * lanes() * kQuad);
  }
  HWY_INLINE Codes quad(int q, int v) {
    if (q % 2 == 0) both[v] = hn::LoadU(U8(), at + q / 2 * kQuadRow + v * lanes() * kQuad);
    const Codes four = q % 2 == 0 ? low_nibbles(both[v]) : high_nibbles(both[v]);
    if constexpr (kHighBits == 0) return four;
    return hn::Or(four, take_high_bits<kHighBits>(high[v]));
  }
};

// ---- sums ----

// The sums of a part of `kQuads` quads.
template <int kQuads, int kTogether, bool kSigned, int kRows, int kVectors>
struct PartSums {
  Sums sum[kRows][kVectors];

  // Row m's sums begin at start[m * kPartsOfChunk].
  template <class Source>
  HWY_INLINE HWY_ATTR PartSums(Source codes, const QuantisedChunk* x, int64_t k,
                               const int32_t* start) {
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        sum[m][v] = start ? hn::Set(I32(), start[m * kPartsOfChunk]) : own_zero();
#if TILEWRIGHT_CPU_HAS_DOTS
    add_by_dots(codes, x, k);
#else
    add_by_pairs(codes, x, k);
#endif
  }

 private:
#if TILEWRIGHT_CPU_HAS_DOTS
  template <class Source>
  HWY_INLINE void add_by_dots(Source& codes, const QuantisedChunk* x, int64_t k) {
#pragma GCC unroll 8
    for (int q = 0; q < kQuads; ++q) {
      Codes w[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) w[v] = codes.quad(q, v);
      // Codes are repeated once for all vectors, or by each instruction: the one takes more
      // instructions, the other more loads. Half of the rows each is the best of both.
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m) {
        const int8_t* at = x[m].codes + k + q * kQuad;
        if (m % 2 == 0) {
          const auto four = four_codes(at);
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) sum[m][v] = add_dots(sum[m][v], w[v], four);
        } else {
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) sum[m][v] = add_repeated_dots(sum[m][v], w[v], at);
        }
      }
    }
  }
#else
  // `kTogether` pairs are added as 16-bit numbers.
  template <class Source>
  HWY_INLINE void add_by_pairs(Source& codes, const QuantisedChunk* x, int64_t k) {
#pragma GCC unroll 8
    for (int first = 0; first < kQuads; first += kTogether) {
      Pairs pairs[kRows][kVectors];
#pragma GCC unroll 8
      for (int q = 0; q < kTogether; ++q) {
        Codes w[kVectors];
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) w[v] = codes.quad(first + q, v);
#pragma GCC unroll 8
        for (int m = 0; m < kRows; ++m) {
          const auto four = four_codes(x[m].codes + k + (first + q) * kQuad);
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) {
            const Pairs p = kSigned ? signed_pairs(w[v], four) : unsigned_pairs(w[v], four);
            pairs[m][v] = q == 0 ? p : hn::Add(pairs[m][v], p);
            in_order(pairs[m][v]);
          }
        }
      }
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          sum[m][v] = hn::Add(sum[m][v], pair_sums(pairs[m][v]));
          in_order(sum[m][v]);
        }
    }
  }
#endif
};

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::TILEWRIGHT_CPU_BYTE_SUMS
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
