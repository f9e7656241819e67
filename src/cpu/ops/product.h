// Sums of products of two operands as they lie in memory, for the kernels of `simd`: the left one
// is packed, a stretch of k at a time, and every right one is multiplied with it.
#pragma once

#include <span>

#include "tilewright/cpu/lower/operand.h"

namespace tilewright::cpu::ops {

// An operand of a product and whether it is stored transposed.
struct Factor {
  Operand operand;
  bool transposed = false;
};

// c[m, n] += left[m, k] * right[k, n] for all of one right operand; from zero when it is fresh. Of
// INT8 operands the numbers of c are INT32.
struct Right {
  const Factor* factor = nullptr;
  const View* view = nullptr;
  int64_t base = 0;  // first element
  float* c = nullptr;
  int64_t c_stride = 0;
  int64_t n = 0;
  bool fresh = false;      // c holds nothing yet
  simd::Stream next = {};  // what is read after it
};

// Makes room in the frame for products of up to m x k; returns the bytes of Frame::scratch
// they use.
int64_t reserve_product(const OpContext& c, const Factor& right, int64_t m, int64_t k);

// Ascending stretches of k for every element of every c.
void add_products(Frame& f, const Factor& left, const View& view, int64_t base, int64_t m,
                  int64_t k, std::span<const Right> rights);

}  // namespace tilewright::cpu::ops
