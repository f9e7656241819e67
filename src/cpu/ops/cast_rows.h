// Casts between integers and floats that programs with INT8 codes make for every number: rows
// without a detour through doubles. The bits are those of numbers.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tilewright/base/dtype.h"
#include "tilewright/ir/op.h"

namespace tilewright::cpu::ops {

// n elements, `step` apart, become n elements in a row.
using CastRow = void (*)(const std::byte* from, int64_t step, std::byte* to, int64_t n);

// Null for a cast that has no loop of its own.
CastRow cast_row(DType from, DType to, ir::CastMode mode);

}  // namespace tilewright::cpu::ops
