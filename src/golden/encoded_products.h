// Products with a weight in an encoded type: the left rows are quantised, integers are multiplied
// exactly, and the scales are applied part by part. docs/meaning.md states the rule.
#pragma once

#include <cstdint>

#include "tilewright/golden/tile.h"

namespace tilewright::golden {

// sums[m, n] += x[m, :] * w[n, :]. Element k of row m is x[m * x_row + k * x_step], column n of the
// product is the row of weights that begins at w + n * w_row.
struct EncodedProducts {
  int64_t m = 0, n = 0, k = 0;
  const float* x = nullptr;
  int64_t x_row = 0, x_step = 0;
  DType type = DType::Q8_0;
  const EncodedElement* w = nullptr;
  int64_t w_row = 0;
  float* sums = nullptr;
  int64_t sums_row = 0;
};

void add_encoded_products(const EncodedProducts& p);

}  // namespace tilewright::golden
