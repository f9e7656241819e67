// Elements in memory and as they are computed with: floats as FP32, integers as 64 bits. Rounding
// and wrapping follow docs/meaning.md.
#pragma once

#include <cstdint>

#include "tilewright/base/dtype.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/ir/op.h"

namespace tilewright::cpu {

// n elements, `step` apart, as FP32. The result is the memory itself when that is FP32 in a row,
// else `buffer`.
const float* float_row(const simd::Kernels& k, DType t, const std::byte* row, int64_t step,
                       int64_t n, float* buffer);
// FP32 rounded to nearest even into n elements, `step` apart.
void store_floats(const simd::Kernels& k, DType t, const float* x, std::byte* row, int64_t step,
                  int64_t n);

// Integers and BOOL, exact.
void integer_row(DType t, const std::byte* row, int64_t step, int64_t n, int64_t* out);
void store_integers(DType t, const int64_t* x, std::byte* row, int64_t step, int64_t n);

// An integer reduced to a type's width; BOOL becomes 0 or 1.
int64_t wrapped(DType t, int64_t v);
// One rounding by mode from an exact value to a float type.
float round_float(DType t, double v, ir::CastMode mode);
// Saturates at the ends of the type. NaN has no integer: it becomes a pattern that looks undefined.
int64_t round_integer(DType t, float v, ir::CastMode mode);
// An integer as a double from which one more rounding is the right one.
double odd_double(DType t, int64_t v);

}  // namespace tilewright::cpu
