// Products of signed bytes with INT32 sums.
#pragma once

#include "tilewright/cpu/ops/product.h"

namespace tilewright::cpu::ops {

// Bytes of Frame::scratch that a right operand needs when it is not packed; 0 for other types.
int64_t byte_scratch(const Operand& right, int64_t depth);

// As add_products, for a left operand in INT8; c holds INT32 numbers. `scratch`: byte_scratch
// bytes.
void add_byte_products(Frame& f, const Factor& left, const View& view, int64_t base, int64_t m,
                       int64_t k, std::span<const Right> rights, std::byte* scratch);

}  // namespace tilewright::cpu::ops
