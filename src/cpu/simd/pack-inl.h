// Weights into panels for one instruction set: columns that lie in rows of their own, as in
// checkpoints, become rows of kPanel columns.
#if defined(TILEWRIGHT_CPU_PACK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_PACK_INL
#undef TILEWRIGHT_CPU_PACK_INL
#else
#define TILEWRIGHT_CPU_PACK_INL
#endif

#include "hwy/highway.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

// Eight k of eight columns: those at `from` and kStep columns further, four times, become 16 bytes
// of each of eight rows of the panel. In vectors of 16 bytes, as left rows are packed.
template <int kPartner, int kStep>
HWY_INLINE void pack_eight(const uint16_t* from, int64_t stride, uint16_t* to) {
  const hn::CappedTag<uint16_t, 8> d;
  const hn::Repartition<uint32_t, decltype(d)> pairs;
  const auto column = [&](int64_t c) HWY_ATTR { return hn::LoadU(d, from + c * stride); };
  const auto low = [&](int64_t i) HWY_ATTR {
    return hn::BitCast(pairs,
                       hn::InterleaveLower(d, column(i * kStep), column(i * kStep + kPartner)));
  };
  const auto high = [&](int64_t i) HWY_ATTR {
    return hn::BitCast(pairs,
                       hn::InterleaveUpper(d, column(i * kStep), column(i * kStep + kPartner)));
  };
  const auto store = [&](int64_t k, auto v)
                         HWY_ATTR { hn::StoreU(hn::BitCast(d, v), d, to + k * kPanel); };
  interleaved(pairs, low(0), low(1), low(2), low(3),
              [&](int64_t j, auto v) HWY_ATTR { store(j, v); });
  interleaved(pairs, high(0), high(1), high(2), high(3),
              [&](int64_t j, auto v) HWY_ATTR { store(4 + j, v); });
}

void pack_columns(const uint16_t* from, int64_t stride, int64_t depth, Panels panels,
                  uint16_t* to) {
  for (int64_t k = 0; k < depth; k += 8, from += 8, to += 8 * kPanel)
    if (panels == Panels::InOrder) {
      for (int64_t c = 0; c < kPanel; c += 8) pack_eight<1, 2>(from + c * stride, stride, to + c);
    } else {
      for (int64_t c = 0; c < kPanel / 2; c += 4)
        pack_eight<kPanel / 2, 1>(from + c * stride, stride, to + 2 * c);
    }
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
