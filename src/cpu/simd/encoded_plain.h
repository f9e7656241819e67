// Products with encoded weights in plain loops.
#pragma once

#include "tilewright/cpu/simd/encoded.h"

namespace tilewright::cpu::simd {

// Kernels::quantise_rows and Kernels::multiply_encoded.
void quantise_rows_plain(const float* x, int64_t stride, int64_t rows, int64_t n,
                         QuantisedChunk* to);
void multiply_encoded_plain(const EncodedProduct& p);

// Whether a table computes the bits of the plain loops on small products with codes of every kind:
// the check at start-up of instructions that the tests may never have seen.
bool multiplies_as_plain(const Kernels& table);

}  // namespace tilewright::cpu::simd
