// Products of BF16 with BF16, to whose sums subnormal numbers are zero: fma in a mode of the
// processor. On x86 the mode is the rule of these products. ARM makes sums zero before it rounds
// them, so those just below 2^-126 differ; sums in which it made any zero are computed once more,
// by the rule. Other processors follow the rule number by number.
#if defined(TILEWRIGHT_CPU_FLUSH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_CPU_FLUSH_INL
#undef TILEWRIGHT_CPU_FLUSH_INL
#else
#define TILEWRIGHT_CPU_FLUSH_INL
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "tilewright/base/bf16_product.h"
#include "tilewright/base/flush_mode.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/left-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

// Rows of one block by the rule; element(k, n) is a number of the right operand.
template <class Element>
HWY_NOINLINE void multiply_by_rule(const Product& p, const Groups& groups, const Element& element) {
  for (int64_t g = 0; g < groups.count(); ++g) {
    const float* a = left_of(p, groups, g, 0);
    for (int64_t m = 0; m < groups.rows(g); ++m) {
      float* c = p.c + (groups.first(g) + m) * p.c_stride;
      for (int64_t k = 0; k < p.depth; ++k)
        for (int64_t n = 0; n < p.cols; ++n)
          c[n] = add_bf16_product(c[n], a[k * groups.rows(g) + m], element(k, n));
    }
  }
}

// Sums that are kept until it is known that they need not be computed again.
inline constexpr int64_t kKeptColumns = 4 * kPanel;

template <class Multiply, class Element>
HWY_INLINE void multiply_in_parts(const Product& whole, const Multiply& multiply,
                                  const Element& element) {
  each_block_of(whole, [&](const Product& block, const Groups& groups) HWY_ATTR {
    for (int64_t n0 = 0; n0 < block.cols; n0 += kKeptColumns) {
      Product p = block;
      p.c += n0;
      p.cols = std::min(kKeptColumns, block.cols - n0);
      const auto by_rule = [&] {
        multiply_by_rule(p, groups, [&](int64_t k, int64_t n) { return element(k, n0 + n); });
      };
#if HWY_ARCH_ARM_A64
      float kept[kRowBlock * kKeptColumns];
      for (int64_t m = 0; m < p.rows; ++m)
        std::copy_n(p.c + m * p.c_stride, p.cols, kept + m * kKeptColumns);
      {
        FlushMode mode;
        multiply(p, n0);
        if (!mode.has_flushed()) continue;
      }
      for (int64_t m = 0; m < p.rows; ++m)
        std::copy_n(kept + m * kKeptColumns, p.cols, p.c + m * p.c_stride);
#else
      (void)multiply;
#endif
      by_rule();
    }
  });
}

// A product by multiply(part, n), which adds the columns from n on to a part of the sums.
template <class Multiply, class Element>
HWY_INLINE void multiply_of_bf16(const Product& p, const Multiply& multiply,
                                 [[maybe_unused]] const Element& element) {
  if (!p.of_bf16) return multiply(p, 0);
#if HWY_ARCH_X86_64
  const FlushMode mode;
  multiply(p, 0);
#else
  multiply_in_parts(p, multiply, element);
#endif
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
