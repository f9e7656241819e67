// The vectors of one instruction set, which all loops compute with.
#if defined(TILEWRIGHT_CPU_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_VECTORS_INL
#undef TILEWRIGHT_CPU_VECTORS_INL
#else
#define TILEWRIGHT_CPU_VECTORS_INL
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most sixteen lanes: row_sum's partial sums and the panels are made of sixteens.
using F32 = hn::CappedTag<float, 16>;
using U32 = hn::RebindToUnsigned<F32>;
using I32 = hn::RebindToSigned<F32>;
using U16 = hn::Rebind<uint16_t, F32>;
using F16 = hn::Rebind<hwy::float16_t, F32>;
using V = hn::Vec<F32>;

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(F32())); }

inline constexpr int64_t kLine = 64;  // bytes

// Into L2.
HWY_INLINE void prefetch_far(const void* at) { __builtin_prefetch(at, 0, 2); }

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
