// One element of a .npy file, converted to the type of a parameter.
#pragma once

#include <string>

#include "tilewright/data/npy_header.h"

namespace tilewright::data {

// What `dtype` is written as: float32 for BF16, which NumPy does not have.
NpyType npy_type(DType dtype);
// The bytes of a file are those of the array.
bool same_bytes(NpyType type, DType dtype);

// `from` points to the element's bytes, in this machine's order. False when the type of `out`
// cannot hold the value. Floats are put into float arrays only, and the others into the others.
bool put_element(HostArray& out, int64_t index, NpyType type, const std::byte* from);
double float_at(NpyType type, const std::byte* from);
std::string integer_text(NpyType type, const std::byte* from);

}  // namespace tilewright::data
