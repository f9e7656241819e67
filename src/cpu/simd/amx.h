// Whether this machine has AMX for one type, and the system lets this process use it.
#pragma once

#include <cstdint>

namespace tilewright::cpu::simd {

enum class AmxType : uint8_t { Bf16, Int8 };
bool amx_permitted(AmxType type);

}  // namespace tilewright::cpu::simd
