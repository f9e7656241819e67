#include "tilewright/cpu/simd/amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tilewright::cpu::simd {

#if defined(__x86_64__) && defined(__linux__)
bool amx_permitted() {
  if (!__builtin_cpu_supports("amx-tile") || !__builtin_cpu_supports("amx-bf16")) return false;
  // The registers are large, so Linux keeps room for them only in processes that ask. All threads
  // of the process have asked then.
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM, which old headers lack
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#else
bool amx_permitted() { return false; }
#endif

}  // namespace tilewright::cpu::simd
