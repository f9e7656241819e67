// The inner loops of every matmul: sums of products along k, one for each column.
#pragma once

#include <cstdint>

namespace tilewright::golden {

// The numbers x[k * step] and the rows that they are multiplied with, row k at rows + k * stride.
template <class T>
struct Products {
  const T* x = nullptr;
  int64_t step = 0;
  const T* rows = nullptr;
  int64_t stride = 0;
  int64_t count = 0;  // of k
};

// sums[n] += x[k] * row_k[n] for ascending k. With `exact_products`, those of 16-bit floats, a
// product is exact unless it underflows, and rounded only in the sum; else both are one fma.
void add_products(const Products<float>& p, bool exact_products, float* sums, int64_t columns);
// Modulo 2^32.
void add_products(const Products<uint32_t>& p, uint32_t* sums, int64_t columns);

}  // namespace tilewright::golden
