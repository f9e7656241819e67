// Arrays as NumPy's .npy files, one array each. NumPy has no BF16: such an array is written as
// float32, which holds each of its values.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "tilewright/base/array.h"

namespace tilewright::data {

void write_npy(const std::filesystem::path& path, const HostArray& array);
// A scalar parameter: int64, or float64 for a float.
void write_npy_scalar(const std::filesystem::path& path, DType dtype, double value);

// The elements as `dtype`. Floats take floats of any size, rounded once to nearest even; integers
// and BOOL take integers and bools that they can hold. Another shape or type is a ProgramError, a
// file that cannot be read or is no .npy file a UserError.
HostArray read_npy(const std::filesystem::path& path, DType dtype, const Shape& shape);
HostArray read_npy(std::istream& file, const std::string& origin, DType dtype, const Shape& shape);
// Of an array without dimensions.
double read_npy_scalar(const std::filesystem::path& path, DType dtype);

}  // namespace tilewright::data
