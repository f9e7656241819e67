// The left operand of a product in the form the kernels take: rows of FP32.
#pragma once

#include "tilewright/cpu/operand.h"

namespace tilewright::cpu::ops {

struct Left {
  const float* data = nullptr;
  int64_t stride = 0;
};

// Bytes of Frame::scratch that float_left uses for m rows of k numbers.
int64_t left_bytes(int64_t m, int64_t k);

// m x k elements of `v` from element `base` on, as rows; in place when they are FP32 rows already.
Left float_left(Frame& f, const Operand& o, const View& v, int64_t base, int64_t m, int64_t k,
                bool transposed);

}  // namespace tilewright::cpu::ops
