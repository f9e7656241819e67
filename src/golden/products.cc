#include "tilewright/golden/products.h"

#include <algorithm>

namespace tilewright::golden {
namespace {

struct Exact {
  [[gnu::always_inline]] static float add(float sum, float x, float y) { return sum + x * y; }
};
struct Fused {
  [[gnu::always_inline]] static float add(float sum, float x, float y) {
    return __builtin_fmaf(x, y, sum);
  }
};
struct Wrapping {
  [[gnu::always_inline]] static uint32_t add(uint32_t sum, uint32_t x, uint32_t y) {
    return sum + x * y;
  }
};

// Some columns at a time, whose sums stay in registers while k grows: sum by sum the same additions
// in the same order as row by row, at twice the speed.
template <class How, class T>
[[gnu::always_inline]] inline void add(const Products<T>& p, T* sums, int64_t columns) {
  constexpr int64_t kAtOnce = 64;
  int64_t first = 0;
  for (; first + kAtOnce <= columns; first += kAtOnce) {
    T kept[kAtOnce];
    std::copy_n(sums + first, kAtOnce, kept);
    for (int64_t k = 0; k < p.count; ++k) {
      const T x = p.x[k * p.step];
      const T* row = p.rows + k * p.stride + first;
      for (int64_t n = 0; n < kAtOnce; ++n) kept[n] = How::add(kept[n], x, row[n]);
    }
    std::copy_n(kept, kAtOnce, sums + first);
  }
  if (first == columns) return;
  T* __restrict rest = sums + first;
  for (int64_t k = 0; k < p.count; ++k) {
    const T x = p.x[k * p.step];
    const T* __restrict row = p.rows + k * p.stride + first;
    for (int64_t n = 0; n < columns - first; ++n) rest[n] = How::add(rest[n], x, row[n]);
  }
}

#if defined(__x86_64__)
// The same loops. A build for any x86-64 calls a library function for each fma and has no
// instruction for products of 32-bit integers, which makes both many times slower than BF16.
template <class How, class T>
[[gnu::target("avx2,fma")]] void add_with_avx2(const Products<T>& p, T* sums, int64_t columns) {
  add<How>(p, sums, columns);
}
#endif

template <class How, class T>
void add_anywhere(const Products<T>& p, T* sums, int64_t columns) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return add_with_avx2<How>(p, sums, columns);
#endif
  add<How>(p, sums, columns);
}

}  // namespace

void add_products(const Products<float>& p, bool exact_products, float* sums, int64_t columns) {
  exact_products ? add_anywhere<Exact>(p, sums, columns) : add_anywhere<Fused>(p, sums, columns);
}

void add_products(const Products<uint32_t>& p, uint32_t* sums, int64_t columns) {
  add_anywhere<Wrapping>(p, sums, columns);
}

}  // namespace tilewright::golden
