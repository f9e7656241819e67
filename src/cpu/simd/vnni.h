// Products with encoded weights, and of bytes, by dot products of bytes: VNNI of AVX-512 and of
// AVX2.
#pragma once

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// Puts them into this machine's fastest table. False, and nothing is changed, if this machine lacks
// them, or if they do not compute the bits of the plain loops; a warning then goes to stderr.
bool use_vnni(Kernels& table);

}  // namespace tilewright::cpu::simd
