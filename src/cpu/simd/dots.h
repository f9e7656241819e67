// Whether to make products of BF16 with the dot products of AVX-512 (vdpbf16ps).
#pragma once

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// Whether this processor has the instruction.
bool has_dots();

// Whether a table's products of BF16 are faster than its fma: on Zen 4 and 5 twice as fast, on some
// Intel chips half as fast. Measured, in less than a millisecond.
bool multiplies_bf16_faster(const Kernels& table);

// Whether `table`, whose products of BF16 are dot products, may be used: the processor has them,
// they have the bits of the plain loops (a warning on stderr if not), and they are faster than fma.
bool dots_are_worth_it(const Kernels& table);

}  // namespace tilewright::cpu::simd
