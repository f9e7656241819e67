// Cycles of the cube core's own parts, from the numbers of a platform: for the simulator, and for
// whoever chooses how a product is cut.
#pragma once

#include <cstdint>

#include "tilewright/base/dtype.h"
#include "tilewright/platform/platform.h"

namespace tilewright::platform {

class CubeCosts {
 public:
  explicit CubeCosts(const Platform& p);  // p has timing

  double to_left(double bytes) const { return bytes / cube_.l0a_bytes_per_cycle; }
  double to_right(double bytes) const { return bytes / cube_.l0b_bytes_per_cycle; }
  // One instruction.
  double multiply(int64_t m, int64_t k, int64_t n, DType operand) const;
  // One tile out of the accumulator.
  double drain(int64_t rows, int64_t cols) const;

 private:
  CubeTiming cube_;
  FixpipeTiming fixpipe_;
  int64_t fractal_rows_, fractal_bytes_;
};

}  // namespace tilewright::platform
