// One element of a .npy file, converted to the type of a parameter.
#pragma once

#include <string>

#include "tilewright/data/npy_header.h"

namespace tilewright::data {

// The NumPy type that `dtype` is written as: float32 for BF16, which NumPy does not have.
NpyType npy_type(DType dtype);
// Whether file and array have the same bytes, so that no conversion is needed.
bool same_bytes(NpyType type, DType dtype);

// `from` points to the element's bytes in native byte order. False when the type of `out` cannot
// hold the value. Floats are accepted only by float arrays; integers and bools only by arrays of
// integers and bools.
bool put_element(HostArray& out, int64_t index, NpyType type, const std::byte* from);
double float_at(NpyType type, const std::byte* from);
std::string integer_text(NpyType type, const std::byte* from);

}  // namespace tilewright::data
