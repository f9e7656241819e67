// The choice of a tile, against the sizes and rates of a2a3 worked out by hand.
#include "tilewright/compile/l0/choose_tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tilewright::compile {
namespace {

const platform::Platform& a2a3() { return platform::builtin_platform("a2a3"); }

TEST(ChooseL0Tile, TheLargestBlockOfKThatFitsTwice) {
  // Right holds 64 KiB: two blocks of 64 x 256 BF16.
  const auto tile = choose_l0_tile({.m = 16, .n = 256, .k = 256}, a2a3());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->k, 64);
  EXPECT_EQ(tile->k_blocks, 4);
  EXPECT_EQ(tile->windows, 1);
  // 8 KiB at 129.7 and 128 KiB at 85.4 bytes a cycle; four times 21 and 4 x 16 fractals.
  EXPECT_NEAR(tile->load, 8192 / 129.7 + 131072 / 85.4, 1e-9);
  EXPECT_NEAR(tile->multiply, 4 * (21 + 64), 1e-9);
}

TEST(ChooseL0Tile, ARestOfKIsCheaperThanSmallerBlocks) {
  // 80 = 64 + 16 in two blocks; of 40 there is no multiple of 16, and 16 divides it in five.
  const auto tile = choose_l0_tile({.m = 16, .n = 256, .k = 80}, a2a3());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->k_blocks, 2);
}

TEST(ChooseL0Tile, NoOtherWindowTakesFewerCycles) {
  // 128 x 512 FP32 is twice Acc. No other window takes fewer cycles: their loads and drains are
  // written out here.
  const auto tile = choose_l0_tile({.m = 128, .n = 512, .k = 256, .can_cut_output = true}, a2a3());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->windows, 2);
  for (const double m : {16, 32, 64, 128})
    for (const double n : {16, 32, 64, 128, 256, 512})
      if (m * n * 4 <= 131072) {
        const double windows = 128 / m * 512 / n;
        const double drain = windows * (164 + m * std::max(4.45, 4 * n / 118));
        const double load = windows * (m * 512 / 129.7 + 512 * n / 85.4);
        const double k = std::min(256.0, std::floor(1024 / std::max(m, n)) * 16);  // fits twice
        const double multiply = windows * (std::ceil(256 / k) * 21 + m / 16 * 16 * n / 16);
        EXPECT_LE(tile->cycles(), std::max(load, multiply) + drain + 1e-6) << m << " x " << n;
      }
}

TEST(ChooseL0Tile, OneBlockOfKWhereTwoNeverFit) {
  // Right: 16 x 2048 BF16 are 64 KiB.
  const auto tile = choose_l0_tile({.m = 16, .n = 2048, .k = 64}, a2a3());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->k, 16);
  EXPECT_EQ(tile->copies, 1);
  EXPECT_EQ(choose_l0_tile({.m = 16, .n = 1024, .k = 64}, a2a3())->copies, 2);
}

TEST(ChooseL0Tile, WindowsWhereKStaysWhole) {
  // Right: two times 512 x 32 BF16.
  const auto tile = choose_l0_tile({.m = 16, .n = 128, .k = 512, .can_cut_output = true,
                                    .can_cut_depth = false}, a2a3());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->k, 512);
  EXPECT_EQ(tile->n, 32);
  EXPECT_EQ(tile->windows, 4);
}

TEST(ChooseL0Tile, NothingToCutWhereItFits) {
  EXPECT_TRUE(fits_l0({.m = 16, .n = 128, .k = 256}, a2a3()));   // 64 KiB in Right
  EXPECT_FALSE(fits_l0({.m = 16, .n = 128, .k = 272}, a2a3()));
  EXPECT_FALSE(fits_l0({.m = 128, .n = 272, .k = 16}, a2a3()));  // Acc
}

TEST(ChooseL0Tile, IntegerSumsTakeRowsOfThirtyTwo) {
  // 32 rows of 1152 INT32 are 144 KiB of Acc, 16 rows of FP32 72 KiB.
  const Product p{.m = 16, .n = 1152, .k = 32, .operands = DType::I8, .can_cut_output = true};
  EXPECT_FALSE(accumulator_fits(p, a2a3()));
  EXPECT_TRUE(accumulator_fits(p, platform::builtin_platform("a5")));
  EXPECT_TRUE(accumulator_fits({.m = 16, .n = 1152, .k = 16}, a2a3()));
  EXPECT_GT(choose_l0_tile(p, a2a3())->windows, 1);
}

TEST(ChooseL0Tile, ABiasIsARowOfAWindow) {
  // Bias holds 256 FP32.
  EXPECT_TRUE(accumulator_fits({.m = 16, .n = 512, .k = 16}, a2a3()));
  const Product p{.m = 16, .n = 512, .k = 16, .biased = true, .can_cut_output = true};
  EXPECT_FALSE(accumulator_fits(p, a2a3()));
  EXPECT_LE(choose_l0_tile(p, a2a3())->n, 128);  // two rows
}

TEST(ChooseL0Tile, NoTile) {
  EXPECT_FALSE(choose_l0_tile({.m = 16, .n = 256, .k = 250}, a2a3()));   // k in multiples of 16
  EXPECT_FALSE(choose_l0_tile({.m = 128, .n = 512, .k = 64}, a2a3()));   // output may not be cut
  // Neither 100 nor 521 has a part in multiples of 16.
  EXPECT_FALSE(choose_l0_tile({.m = 100, .n = 521, .k = 64, .can_cut_output = true}, a2a3()));
}

}  // namespace
}  // namespace tilewright::compile
