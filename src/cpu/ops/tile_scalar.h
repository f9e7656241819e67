// The scalar of a tensor-scalar op: a float, or a whole number in the range of an integer tile.
#pragma once

#include <string>

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/cpu/lower/scalar.h"

namespace tilewright::cpu::ops {

class TileScalar {
 public:
  explicit TileScalar(const OpContext& c);
  float as_float(const Frame& f) const { return number_.as_float(f); }
  // Throws UserError for a fraction or a number that the tile's type does not have.
  int64_t as_whole(const Frame& f) const;

 private:
  Number number_;
  DType dtype_;
  std::string what_, where_;
};

}  // namespace tilewright::cpu::ops
