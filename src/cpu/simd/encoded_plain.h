// Products with encoded weights in plain loops.
#pragma once

#include "tilewright/cpu/simd/encoded.h"

namespace tilewright::cpu::simd {

// Kernels::quantise_rows and Kernels::multiply_encoded.
void quantise_rows_plain(const float* x, int64_t stride, int64_t rows, int64_t n,
                         QuantisedChunk* to);
void multiply_encoded_plain(const EncodedProduct& p);

}  // namespace tilewright::cpu::simd
