// Dot products of BF16: what they are used for, and that their self-test finds what it is for.
#include "tilewright/cpu/simd/dots.h"

#include <gtest/gtest.h>

#include "tilewright/cpu/simd/start_check.h"

namespace tilewright::cpu::simd {
namespace {

// Null on machines without AVX-512.
const Kernels* model() {
  for (const Kernels* k : modelled_kernels())
    if (k->panels == Panels::Swapped) return k;
  return nullptr;
}

TEST(Dots, AreUsedOnlyWhereTheyAreFasterThanFma) {
  const Kernels& best = *vector_kernels().back();
  if (best.panels != Panels::Swapped) GTEST_SKIP() << best.name << " has no dot products of BF16";
  EXPECT_TRUE(has_dots());
  EXPECT_TRUE(multiplies_bf16_as_plain(best));
}

TEST(Dots, AModelIsRightAndNoFasterThanFma) {
  if (!model()) GTEST_SKIP() << "this machine has no AVX-512";
  EXPECT_TRUE(multiplies_bf16_as_plain(*model()));
  EXPECT_FALSE(multiplies_bf16_faster(*model()));
}

TEST(Dots, OtherOrdersOfPairsAreFound) {
  if (!model()) GTEST_SKIP() << "this machine has no AVX-512";
  Kernels wrong = *model();
  wrong.pack_left_bf16 = plain_kernels().pack_left_bf16;
  EXPECT_FALSE(multiplies_bf16_as_plain(wrong));
}

// Products that keep subnormal sums, and products that are subnormal before they are rounded.
TEST(Dots, OtherRulesForSubnormalNumbersAreFound) {
  Kernels keeps = plain_kernels();
  keeps.multiply_panels = [](const Product& p, const uint16_t* b, int64_t stride,
                             const uint16_t* after) {
    Product other = p;
    other.of_bf16 = false;
    plain_kernels().multiply_panels(other, b, stride, after);
  };
  EXPECT_FALSE(multiplies_bf16_as_plain(keeps));
  // Exactly at 2^-126 is all that is left of that difference: no such sum may become zero.
  Kernels early = plain_kernels();
  early.multiply_panels = [](const Product& p, const uint16_t* b, int64_t stride,
                             const uint16_t* after) {
    plain_kernels().multiply_panels(p, b, stride, after);
    for (int64_t m = 0; m < p.rows; ++m)
      for (int64_t n = 0; n < p.cols; ++n) {
        float& sum = p.c[m * p.c_stride + n];
        if (sum == 0x1p-126f && n == 1) sum = 0;
      }
  };
  EXPECT_FALSE(multiplies_bf16_as_plain(early));
  EXPECT_TRUE(multiplies_bf16_as_plain(plain_kernels()));
}

}  // namespace
}  // namespace tilewright::cpu::simd
