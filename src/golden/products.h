// The inner loops of every matmul: sums of products along k, one for each row and column.
#pragma once

#include <cstdint>

namespace tilewright::golden {

// The numbers of row m, x[m * x_stride + k * step], and the rows that they are multiplied with, row
// k at rows + k * stride.
template <class T>
struct Products {
  const T* x = nullptr;
  int64_t x_stride = 0;
  int64_t step = 0;
  const T* rows = nullptr;
  int64_t stride = 0;
  int64_t count = 0;  // of k
};

// Row m at first + m * stride.
template <class T>
struct Sums {
  T* first = nullptr;
  int64_t stride = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

// sums[m, n] += x[m, k] * row_k[n] for ascending k, by fma; `of_bf16`: by the rule of products of
// two BF16 numbers (base/bf16_product.h).
void add_products(const Products<float>& p, bool of_bf16, const Sums<float>& sums);
// Modulo 2^32.
void add_products(const Products<uint32_t>& p, const Sums<uint32_t>& sums);

}  // namespace tilewright::golden
