// Checks at start-up of units that the tests may never have seen: small products.
#pragma once

#include <string_view>

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// Whether a table's products of BF16 have the bits of a reference's, of ordinary numbers.
bool multiplies_bf16_as(const Kernels& reference, const Kernels& table);
// Whether they have the bits of the plain loops, subnormal numbers and sums next to 2^-126
// included.
bool multiplies_bf16_as_plain(const Kernels& table);

// Warns on stderr that something gives wrong results and is not used.
void tell_wrong(std::string_view what);

}  // namespace tilewright::cpu::simd
