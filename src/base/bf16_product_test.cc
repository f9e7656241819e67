// The rule of products of BF16: by hand, and against the same sums 2^64 times as large, which have
// no subnormal numbers.
#include "tilewright/base/bf16_product.h"

#include <gtest/gtest.h>

#include <limits>

#include "tilewright/base/dtype.h"
#include "tilewright/base/flush_mode.h"
#include "tilewright/base/rng.h"

namespace tilewright {
namespace {

uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
void expect_bits(float got, float want) {
  EXPECT_EQ(bits_of(got), bits_of(want)) << got << " instead of " << want;
}

TEST(Bf16Product, SubnormalOperandsAreZeroOfTheirSign) {
  const float tiny = 0x1p-127f;
  expect_bits(add_bf16_product(0.0f, tiny, 0x1p127f), 0.0f);
  expect_bits(add_bf16_product(-0.0f, -tiny, 0x1p127f), -0.0f);
  expect_bits(add_bf16_product(-0.0f, tiny, 0x1p127f), 0.0f);
  expect_bits(add_bf16_product(-0.0f, 1.0f, -tiny), -0.0f);
  expect_bits(add_bf16_product(3.0f, tiny, 0x1p127f), 3.0f);
  expect_bits(add_bf16_product(-tiny, -0.0f, 1.0f), -0.0f);
  expect_bits(add_bf16_product(tiny, 0x1p-70f, 0x1p-56f), 0x1p-126f);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(add_bf16_product(1.0f, tiny, infinity)));
  expect_bits(add_bf16_product(tiny, infinity, 1.0f), infinity);
  EXPECT_TRUE(std::isnan(add_bf16_product(1.0f, std::nanf(""), tiny)));
}

TEST(Bf16Product, SubnormalSumsAreZeroOfTheirSign) {
  expect_bits(add_bf16_product(0.0f, 0x1p-70f, 0x1p-57f), 0.0f);
  expect_bits(add_bf16_product(0.0f, 0x1p-70f, -0x1p-57f), -0.0f);
  expect_bits(add_bf16_product(0x1.8p-126f, -0x1p-63f, 0x1p-63f), 0.0f);
  expect_bits(add_bf16_product(0x1p-126f, 0x1p-100f, -0x1p-100f), 0x1p-126f);
  expect_bits(add_bf16_product(0x1p-126f, 0x1p-63f, -0x1p-63f), 0.0f);  // exactly zero
}

TEST(Bf16Product, ASumIsRoundedBeforeItIsComparedWithTheSmallestNormalNumber) {
  // 2^-126 less half of 2^-150, a quarter of the distance of subnormal numbers: to even.
  expect_bits(add_bf16_product(0x1p-126f, -0x1p-75f, 0x1p-76f), 0x1p-126f);
  expect_bits(add_bf16_product(-0x1p-126f, 0x1p-75f, 0x1p-76f), -0x1p-126f);
  // A little more of it.
  expect_bits(add_bf16_product(0x1p-126f, -0x1p-75f, 0x1.02p-76f), 0.0f);
  expect_bits(add_bf16_product(-0x1p-126f, 0x1p-75f, 0x1.02p-76f), -0.0f);
  // Half of the distance: as a subnormal number it would be rounded up.
  EXPECT_EQ(std::fma(-0x1p-75f, 0x1p-75f, 0x1p-126f), 0x1p-126f);
  expect_bits(add_bf16_product(0x1p-126f, -0x1p-75f, 0x1p-75f), 0.0f);
}

TEST(Bf16Product, OverflowIsOfTheSum) {
  // The product alone has no FP32 number.
  expect_bits(add_bf16_product(-0x1.8p127f, 0x1p64f, 0x1p64f), 0x1p126f);
  expect_bits(add_bf16_product(0.0f, 0x1p64f, 0x1p64f), std::numeric_limits<float>::infinity());
}

struct Numbers {
  float sum, x, y;
};

// A product around 2^-126 or below, and a sum like it.
Numbers small_numbers(Rng& rng) {
  const auto below = [&](uint64_t n) { return rng.next() % n; };
  const auto number = [&](int exponent, uint64_t fraction, int digits) {
    const double size =
        std::ldexp(1.0 + std::ldexp(static_cast<double>(fraction), -digits), exponent);
    return static_cast<float>(below(2) == 0 ? size : -size);
  };
  const int ex = -static_cast<int>(below(126));
  const int ey = std::max(-126, -120 - static_cast<int>(below(34)) - ex);
  // Numbers next to 2^-126 and any others up to 2^-119.
  const bool near = below(2) == 0;
  const float sum =
      number(-126 + static_cast<int>(near ? 0 : below(8)), near ? below(8) : below(1u << 23), 23);
  return {below(16) == 0 ? 0.0f : sum, number(ex, below(128), 7), number(ey, below(128), 7)};
}

TEST(Bf16Product, IsTheSumAmongLargerNumbersMadeSmall) {
  Rng rng(1);
  int differs = 0;
  for (int i = 0; i < 2000000; ++i) {
    const Numbers n = small_numbers(rng);
    ASSERT_EQ(n.x, f32_from_bf16(bf16_from_f32(n.x)));
    const float large = std::fma(n.x * 0x1p32f, n.y * 0x1p32f, n.sum * 0x1p64f);
    const float want = std::fabs(large) < 0x1p-62f ? std::copysign(0.0f, large) : large * 0x1p-64f;
    ASSERT_EQ(bits_of(add_bf16_product(n.sum, n.x, n.y)), bits_of(want))
        << n.sum << " + " << n.x << " * " << n.y;
    const float later = flushed(std::fma(n.x, n.y, n.sum));  // where rounding to 2^-149 hides it
    differs += bits_of(later) != bits_of(want) ? 1 : 0;
  }
  EXPECT_GT(differs, 100);
}

#if defined(__x86_64__)
__attribute__((target("fma"), noinline)) float fused(const Numbers& n) {
  return __builtin_fmaf(n.x, n.y, n.sum);
}

TEST(Bf16Product, IsWhatFmaComputesWithTheModesOfX86) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this machine has no fma";
  Rng rng(2);
  for (int i = 0; i < 2000000; ++i) {
    Numbers n = small_numbers(rng);
    if (i % 2 == 0) {
      n.sum = std::bit_cast<float>(static_cast<uint32_t>(rng.next()));
      n.x = f32_from_bf16(static_cast<uint16_t>(rng.next()));
    }
    float got = 0;
    {
      const FlushMode mode;
      got = fused(n);
    }
    const float want = add_bf16_product(n.sum, n.x, n.y);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got));
    else
      ASSERT_EQ(bits_of(got), bits_of(want)) << n.sum << " + " << n.x << " * " << n.y;
  }
}
#endif

}  // namespace
}  // namespace tilewright
