// Products of bytes for AVX2 and AVX-512, a second time: by dot products of bytes. Highway has a
// target with them (AVX3_DL), but that wants much that machines with VNNI may lack: Cascade Lake
// has no VBMI, and Alder Lake no AVX-512.
#include "tilewright/cpu/simd/vnni.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdio>

#include "tilewright/cpu/simd/bytes.h"
#include "tilewright/cpu/simd/encoded_plain.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_NEON | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tilewright/cpu/simd/vnni.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"
#define TILEWRIGHT_CPU_IS_VNNI (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
#if TILEWRIGHT_CPU_IS_VNNI
#define TILEWRIGHT_CPU_HAS_DOTS 1
#include "tilewright/cpu/simd/bytes-inl.h"
#include "tilewright/cpu/simd/encoded-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2
// Clang 14 has no name for it in __builtin_cpu_supports.
bool has_avx_vnni() {
  constexpr unsigned kAvxVnni = 1u << 4;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & kAvxVnni);
}
#endif

bool put_vnni([[maybe_unused]] Kernels& table) {
#if TILEWRIGHT_CPU_IS_VNNI
#if HWY_TARGET == HWY_AVX2
  if (!has_avx_vnni()) return false;
  table.name = "AVX2_VNNI";
#else
  if (!__builtin_cpu_supports("avx512vnni")) return false;
  table.name = "AVX3_VNNI";
#endif
  table.multiply_encoded = by_dots::multiply_encoded;
  table.multiply_bytes = by_dots::multiply_bytes;
  table.integer_rounds = by_dots::integer_rounds;
  return true;
#else
  return false;
#endif
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright::cpu::simd {

HWY_EXPORT(put_vnni);

bool use_vnni(Kernels& table) {
  Kernels found = table;
  if (!HWY_DYNAMIC_DISPATCH(put_vnni)(found)) return false;
  if (!multiplies_as_plain(found) || !multiplies_bytes_as_plain(found)) {
    std::fputs(
        "warning: dot products of bytes give wrong results on this machine and are not used\n",
        stderr);
    return false;
  }
  table = found;
  return true;
}

}  // namespace tilewright::cpu::simd
#endif
