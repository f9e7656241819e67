#include "tilewright/cpu/simd/amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tilewright::cpu::simd {

#if defined(__x86_64__) && defined(__linux__)
bool amx_permitted(AmxType type) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;  // of leaf 7
  const unsigned needed = kTile | (type == AmxType::Bf16 ? kBf16 : kInt8);
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & needed) != needed) return false;
  // The registers are large, so Linux keeps room for them only in processes that ask. All threads
  // of the process have asked then.
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM, which old headers lack
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#else
bool amx_permitted(AmxType) { return false; }
#endif

}  // namespace tilewright::cpu::simd
