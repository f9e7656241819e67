// Products whose right operand is a block-encoded weight.
#pragma once

#include "tilewright/cpu/ops/product.h"
#include "tilewright/cpu/simd/encoded.h"

namespace tilewright::cpu::ops {

// A left operand as small integers.
struct QuantisedLeft {
  const simd::QuantisedChunk* chunks = nullptr;  // chunk after chunk, of each all rows
  int64_t rows = 0, depth = 0;
};

// Bytes that a right operand needs when it is not packed; 0 for other types.
int64_t encoded_scratch(const Operand& right);

void multiply_encoded(Frame& f, const QuantisedLeft& left, const Right& r, std::byte* scratch);

}  // namespace tilewright::cpu::ops
