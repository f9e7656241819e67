#include "tilewright/golden/products.h"

#include <cstring>

#include "tilewright/base/bf16_product.h"
#include "tilewright/base/flush_mode.h"

namespace tilewright::golden {
namespace {

// Columns of one row that are added at once: an AVX2 register, elsewhere as many as it takes.
constexpr int64_t kLanes = 8;
template <class T>
using Lanes [[gnu::vector_size(kLanes * sizeof(T))]] = T;

struct Fused {
  [[gnu::always_inline]] static void add(float& sum, float x, float y) {
    sum = __builtin_fmaf(x, y, sum);
  }
  [[gnu::always_inline]] static void add(Lanes<float>& sum, float x, const Lanes<float>& y) {
    float fused[kLanes], ys[kLanes];  // elements of arrays become one instruction, lanes do not
    std::memcpy(fused, &sum, sizeof sum);
    std::memcpy(ys, &y, sizeof y);
    for (int64_t n = 0; n < kLanes; ++n) fused[n] = __builtin_fmaf(x, ys[n], fused[n]);
    std::memcpy(&sum, fused, sizeof sum);
  }
};
struct FusedBf16 {
  [[gnu::always_inline]] static void add(float& sum, float x, float y) {
    sum = add_bf16_product(sum, x, y);
  }
  [[gnu::always_inline]] static void add(Lanes<float>& sum, float x, const Lanes<float>& y) {
    for (int64_t n = 0; n < kLanes; ++n) sum[n] = add_bf16_product(sum[n], x, y[n]);
  }
};
struct Wrapping {
  [[gnu::always_inline]] static void add(uint32_t& sum, uint32_t x, uint32_t y) {
    sum = sum + x * y;
  }
  [[gnu::always_inline]] static void add(Lanes<uint32_t>& sum, uint32_t x,
                                         const Lanes<uint32_t>& y) {
    sum = sum + x * y;
  }
};

// The sums of some rows and columns stay in registers while k grows: sum by sum the same additions
// in the same order as one element after the other. They stay there because every loop over them is
// unrolled and every copy is one register wide.
template <class How, int kRows, int kGroups, class T>
[[gnu::always_inline]] inline void add_tile(const Products<T>& p, const T* x, const T* rows,
                                            T* sums, int64_t stride) {
  Lanes<T> kept[kRows][kGroups], group;
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g)
      std::memcpy(&kept[m][g], sums + m * stride + g * kLanes, sizeof group);
  }
  for (int64_t k = 0; k < p.count; ++k) {
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) {
      std::memcpy(&group, rows + k * p.stride + g * kLanes, sizeof group);
#pragma GCC unroll 8
      for (int m = 0; m < kRows; ++m) How::add(kept[m][g], x[m * p.x_stride + k * p.step], group);
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g)
      std::memcpy(sums + m * stride + g * kLanes, &kept[m][g], sizeof group);
  }
}

// All columns of kRows rows of x, the first of which is row m.
template <class How, int kRows, int kGroups, class T>
[[gnu::always_inline]] inline void add_rows(const Products<T>& p, const Sums<T>& sums, int64_t m) {
  const T* x = p.x + m * p.x_stride;
  T* out = sums.first + m * sums.stride;
  int64_t n = 0;
  for (; n + kGroups * kLanes <= sums.columns; n += kGroups * kLanes)
    add_tile<How, kRows, kGroups>(p, x, p.rows + n, out + n, sums.stride);
  if (n == sums.columns) return;
  for (int row = 0; row < kRows; ++row, x += p.x_stride, out += sums.stride)
    for (int64_t k = 0; k < p.count; ++k)
      for (int64_t rest = n; rest < sums.columns; ++rest)
        How::add(out[rest], x[k * p.step], p.rows[k * p.stride + rest]);
}

// Four rows at a time read each number of b once for four sums. On a Zen 4 (AVX2, a busy machine) a
// [64 x 256] by [256 x 256] product of BF16 reaches about 40 GFLOP/s, one row after the other 24.
template <class How, class T>
[[gnu::always_inline]] inline void add(const Products<T>& p, const Sums<T>& sums) {
  int64_t m = 0;
  for (; m + 4 <= sums.rows; m += 4) add_rows<How, 4, 2>(p, sums, m);
  for (; m < sums.rows; ++m) add_rows<How, 1, 8>(p, sums, m);
}

#if defined(__x86_64__)
// The same loops. A build for any x86-64 calls a library function for each fma and has no
// instruction for products of 32-bit integers, which makes both many times slower than BF16.
template <class How, class T>
[[gnu::target("avx2,fma"), gnu::noinline]] void add_with_avx2(const Products<T>& p,
                                                              const Sums<T>& sums) {
  add<How>(p, sums);
}
#endif

bool has_avx2() {
#if defined(__x86_64__)
  static const bool kHas = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return kHas;
#else
  return false;
#endif
}

template <class How, class T>
void add_anywhere(const Products<T>& p, const Sums<T>& sums) {
#if defined(__x86_64__)
  if (has_avx2()) return add_with_avx2<How>(p, sums);
#endif
  add<How>(p, sums);
}

void add_bf16_products(const Products<float>& p, const Sums<float>& sums) {
#if defined(__x86_64__)
  // The same rule, at the speed of fma.
  if (has_avx2()) {
    const FlushMode mode;
    return add_with_avx2<Fused>(p, sums);
  }
#endif
  add<FusedBf16>(p, sums);
}

}  // namespace

void add_products(const Products<float>& p, bool of_bf16, const Sums<float>& sums) {
  of_bf16 ? add_bf16_products(p, sums) : add_anywhere<Fused>(p, sums);
}

void add_products(const Products<uint32_t>& p, const Sums<uint32_t>& sums) {
  add_anywhere<Wrapping>(p, sums);
}

}  // namespace tilewright::golden
