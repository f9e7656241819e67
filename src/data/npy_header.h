// The header of NumPy's .npy format: what the elements of a file are, and how they lie. Versions
// 1.0, 2.0 and 3.0 are read, 1.0 is written.
#pragma once

#include <istream>
#include <string>

#include "tilewright/base/array.h"

namespace tilewright::data {

struct NpyType {
  char kind = 'f';  // 'f' float, 'i' signed, 'u' unsigned, 'b' bool
  int bytes = 4;

  bool operator==(const NpyType&) const = default;
  std::string name() const;  // as NumPy calls it: float32, int64, bool
};

struct NpyHeader {
  NpyType type;
  bool big_endian = false;
  bool fortran_order = false;  // the first index varies fastest
  Shape shape;
};

// The header of a little-endian file in C order, padded so that the elements start at a multiple of
// 64 bytes.
std::string npy_header(NpyType type, const Shape& shape);

// Leaves the stream at the first element and checks that exactly the elements follow; otherwise
// UserError. Takes time linear in the header and allocates no memory for elements.
NpyHeader read_npy_header(std::istream& file, const std::string& origin);

// UserError `npy`.
[[noreturn]] void refuse_npy(const std::string& origin, const std::string& what);

}  // namespace tilewright::data
