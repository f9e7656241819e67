#include "tilewright/cpu/ops/integer_product.h"

#include "tilewright/base/check.h"

namespace tilewright::cpu::ops {
namespace {

template <class T>
uint32_t whole(T x) {
  return static_cast<uint32_t>(static_cast<int64_t>(x));
}

// Both operands run along k: one sum at a time.
template <class T>
void add_dots(const WholeProduct& p, const T* a, const T* b) {
  for (int64_t m = 0; m < p.rows; ++m)
    for (int64_t n = 0; n < p.cols; ++n) {
      const T* x = a + m * p.a.row_stride;
      const T* y = b + n * p.b.col_stride;
      uint32_t sum = 0;
      for (int64_t k = 0; k < p.depth; ++k) sum += whole(x[k]) * whole(y[k]);
      p.c[m * p.c_stride + n] += sum;
    }
}

// One element of a by a row of b: many sums at a time.
template <class T>
void add_rows(const WholeProduct& p, const T* a, const T* b) {
  for (int64_t m = 0; m < p.rows; ++m)
    for (int64_t k = 0; k < p.depth; ++k) {
      const uint32_t x = whole(a[m * p.a.row_stride + k * p.a.col_stride]);
      const T* y = b + k * p.b.row_stride;
      uint32_t* c = p.c + m * p.c_stride;
      for (int64_t n = 0; n < p.cols; ++n) c[n] += x * whole(y[n * p.b.col_stride]);
    }
}

template <class T>
void add(const WholeProduct& p) {
  const T* a = reinterpret_cast<const T*>(p.a.data);
  const T* b = reinterpret_cast<const T*>(p.b.data);
  if (p.a.col_stride == 1 && p.b.row_stride == 1)
    add_dots(p, a, b);
  else
    add_rows(p, a, b);
}

}  // namespace

void add_whole_product(DType t, const WholeProduct& p) {
  switch (t) {
    case DType::I16: return add<int16_t>(p);
    case DType::I32: return add<int32_t>(p);
    case DType::I64: return add<int64_t>(p);
    case DType::U8: return add<uint8_t>(p);
    case DType::U16: return add<uint16_t>(p);
    case DType::U32: return add<uint32_t>(p);
    case DType::U64: return add<uint64_t>(p);
    default: bug("a product of integers of another type");
  }
}

}  // namespace tilewright::cpu::ops
