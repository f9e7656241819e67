// Whether this machine has AMX for BF16, and the system lets this process use it.
#pragma once

namespace tilewright::cpu::simd {

bool amx_permitted();

}  // namespace tilewright::cpu::simd
