// Golden: layout ops and casts against numbers worked out by hand.
#include "support.h"
#include "tilewright/base/rng.h"

namespace golden_test {
namespace {

// ---- layout ------------------------------------------------------------------------------------

TEST(GoldenLayout, AReshapeThatDropsOnesKeepsTheValidBlock) {
  const auto of = [](const Shape& from, const Shape& valid, const Shape& to) {
    return eval(list(counting(F32, from)), F32, to, [&](Builder&, auto& x) {
      return reshape(slice(x[0], from, Indices(from.size(), 0),
                           {.valid_shape = Indices(valid.begin(), valid.end())}),
                     to);
    });
  };
  expect_values(of({1, 2, 3}, {1, 1, 2}, {2, 3}),
                {0, 1, kUndefined, kUndefined, kUndefined, kUndefined});
  expect_values(of({2, 3}, {2, 1}, {2, 1, 1, 3}),
                {0, kUndefined, kUndefined, 3, kUndefined, kUndefined});
  expect_values(of({1, 3}, {1, 2}, {3, 1}), {0, 1, kUndefined});
}

TEST(GoldenLayout, ReshapeKeepsTheOrderOfElements) {
  const HostArray y = eval(list(counting(F32, {2, 3})), F32, {3, 2}, [](Builder&, auto& x) {
    return reshape(x[0], {3, 2});
  });
  expect_values(y, {0, 1, 2, 3, 4, 5});
}

TEST(GoldenLayout, ReshapeOfAPartlyValidTileIsRefused) {
  expect_error("valid-mismatch", {"reshape of slice [2 x 3] f32 valid [2, 2] to [3 x 2]"}, [] {
    eval(list(counting(F32, {2, 3})), F32, {3, 2}, [](Builder&, auto& x) {
      return reshape(partly(x[0], 2, 2), {3, 2});
    });
  });
}

TEST(GoldenLayout, ConcatAppendsColumns) {
  const HostArray y = eval(list(counting(I32, {2, 1}, 10), counting(I32, {2, 2})), I32, {2, 3},
                           [](Builder&, auto& x) { return concat(x[0], x[1]); });
  expect_values(y, {0, 0, 1, 10, 2, 3});
}

TEST(GoldenLayout, ConcatOfAPartlyValidRightSide) {
  const HostArray y =
      eval(list(counting(F32, {2, 1}, 10), counting(F32, {2, 2})), F32, {2, 1},
           [](Builder&, auto& x) { return row_sum(concat(x[0], partly(x[1], 2, 1))); });
  expect_values(y, {0, 12});
  expect_error("valid-mismatch", {"concat of slice [2 x 2] f32 valid [2, 1]"}, [] {
    eval(list(counting(F32, {2, 2})), F32, {2, 4},
         [](Builder&, auto& x) { return concat(partly(x[0], 2, 1), x[0]); });
  });
}

TEST(GoldenLayout, TransposeSwapsTheValidShapeToo) {
  const HostArray y = eval(list(counting(F32, {2, 3})), F32, {3, 2},
                           [](Builder&, auto& x) { return transpose(partly(x[0], 1, 3)); });
  expect_values(y, {0, kUndefined, 1, kUndefined, 2, kUndefined});
}

TEST(GoldenLayout, FillPadMakesEverythingValid) {
  const auto padded = [](DType t, Pad pad) {
    return eval(list(array(t, {2, 2}, {1, 2, 3, 4})), t, {2, 2},
                [&](Builder&, auto& x) { return fillpad(partly(x[0], 2, 1), pad); });
  };
  expect_values(padded(F32, Pad::Zero), {1, 0, 3, 0});
  expect_values(padded(F32, Pad::Min), {1, -kInf, 3, -kInf});
  expect_values(padded(BF16, Pad::Max), {1, kInf, 3, kInf});
  expect_values(padded(I8, Pad::Min), {1, -128, 3, -128});
  expect_values(padded(I32, Pad::Max), {1, 2147483647, 3, 2147483647});
  expect_values(padded(U8, Pad::Min), {1, 0, 3, 0});
}

TEST(GoldenLayout, SetValidShape) {
  const HostArray less = eval(list(counting(F32, {2, 3})), F32, {2, 1}, [](Builder&, auto& x) {
    return row_sum(set_validshape(x[0], {1, 2}));
  });
  expect_values(less, {1, kUndefined});
  // What a larger region gains is undefined, even if memory once held a number there.
  const HostArray more = eval(list(counting(F32, {1, 3})), F32, {1, 3}, [](Builder&, auto& x) {
    return set_validshape(partly(x[0], 1, 2), {1, 3});
  });
  expect_values(more, {0, 1, kUndefined});
  expect_error("valid", {"has 4, outside [0, 3]"}, [] {
    eval(list(counting(F32, {1, 3})), F32, {1, 3}, [](Builder&, auto& x) {
      return set_validshape(x[0], {1, 4});
    });
  });
}

// ---- cast --------------------------------------------------------------------------------------

HostArray casted(const std::vector<double>& values, DType from, DType to, CastMode mode) {
  const Shape shape{1, static_cast<int64_t>(values.size())};
  return eval(list(array(from, shape, values)), to, shape,
              [&](Builder&, auto& x) { return cast(x[0], to, mode); });
}

TEST(GoldenCast, FloatToIntegerByMode) {
  const std::vector<double> x{2.5, 3.5, -2.5, 2.25, -2.75};
  expect_values(casted(x, F32, I32, CastMode::Rint), {2, 4, -2, 2, -3});
  expect_values(casted(x, F32, I32, CastMode::Round), {3, 4, -3, 2, -3});
  expect_values(casted(x, F32, I32, CastMode::Floor), {2, 3, -3, 2, -3});
  expect_values(casted(x, F32, I32, CastMode::Ceil), {3, 4, -2, 3, -2});
  expect_values(casted(x, F32, I32, CastMode::Trunc), {2, 3, -2, 2, -2});
}

TEST(GoldenCast, FloatToIntegerSaturates) {
  expect_values(casted({300, -300, kInf, -kInf}, F32, I8, CastMode::Rint), {127, -128, 127, -128});
  expect_values(casted({-1, 255.4, 1e9}, F32, U8, CastMode::Rint), {0, 255, 255});
  const HostArray big = casted({1e30, -1e30}, F32, I64, CastMode::Rint);
  EXPECT_EQ(big.as<int64_t>()[0], INT64_MAX);
  EXPECT_EQ(big.as<int64_t>()[1], INT64_MIN);
}

TEST(GoldenCast, FloatToBf16ByMode) {
  // BF16 near 1 is a multiple of 1/128; 1 + 1/256 is a tie.
  const double tie = 1 + 1.0 / 256, up = 1 + 1.0 / 128, tie2 = up + 1.0 / 256;
  const std::vector<double> x{tie, tie2, -tie, 1 + 1e-3};
  expect_values(casted(x, F32, BF16, CastMode::Rint), {1, 1 + 1.0 / 64, -1, 1});
  expect_values(casted(x, F32, BF16, CastMode::Round), {up, 1 + 1.0 / 64, -up, 1});
  expect_values(casted(x, F32, BF16, CastMode::Floor), {1, up, -up, 1});
  expect_values(casted(x, F32, BF16, CastMode::Ceil), {up, 1 + 1.0 / 64, -1, up});
  expect_values(casted(x, F32, BF16, CastMode::Trunc), {1, up, -1, 1});
}

TEST(GoldenCast, NarrowFloatsAtTheirEnds) {
  expect_values(casted({65519, 65520, 1e9}, F32, F16, CastMode::Rint), {65504, kInf, kInf});
  expect_values(casted({1e9, -1e9}, F32, F16, CastMode::Trunc), {65504, -65504});
  expect_values(casted({1e9, -1e9}, F32, F16, CastMode::Floor), {65504, -kInf});
  expect_values(casted({1e9, -1e9}, F32, F16, CastMode::Ceil), {kInf, -65504});
  // The smallest FP16 is 2^-24; half of it is a tie with zero.
  expect_values(casted({0x1p-25, 0x1.8p-25}, F32, F16, CastMode::Rint), {0, 0x1p-24});
  expect_values(casted({0x1p-30}, F32, F16, CastMode::Ceil), {0x1p-24});
}

TEST(GoldenCast, RintAgreesWithTheGeneralRounding) {
  // The nearest of the two neighbours that Floor and Ceil give.
  Rng rng(7);
  std::vector<double> x;
  for (int k = 0; k < 500; ++k)
    x.push_back(
        static_cast<float>(rng.normal() * std::ldexp(1.0, static_cast<int>(rng.integer(-30, 12)))));
  for (DType t : {BF16, F16}) {
    const HostArray low = casted(x, F32, t, CastMode::Floor);
    const HostArray high = casted(x, F32, t, CastMode::Ceil);
    const HostArray near = casted(x, F32, t, CastMode::Rint);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto i = static_cast<int64_t>(k);
      EXPECT_LE(low.at(i), x[k]);
      EXPECT_GE(high.at(i), x[k]);
      const bool down = x[k] - low.at(i) < high.at(i) - x[k];
      if (x[k] - low.at(i) != high.at(i) - x[k]) {
        EXPECT_EQ(near.at(i), down ? low.at(i) : high.at(i)) << x[k];
      }
    }
  }
}

TEST(GoldenCast, IntegersRoundOnceAndWrap) {
  // 2^24 + 1 is a tie in FP32; 2^40 + 2^32 + 1 would round to 2^40 in two steps through FP32.
  expect_values(casted({16777217, 16777219}, I32, F32, CastMode::Rint), {16777216, 16777220});
  expect_values(casted({0x1p40 + 0x1p32 + 1}, I64, BF16, CastMode::Rint), {0x1.02p40});
  // 2^60 + 2^52 + 1 has too many bits even for a double.
  HostArray wide(I64, {1, 1});
  wide.as<int64_t>()[0] = (int64_t{1} << 60) + (int64_t{1} << 52) + 1;
  expect_values(eval(list(wide.clone()), BF16, {1, 1},
                     [](Builder&, auto& x) { return cast(x[0], BF16); }),
                {0x1.02p60});
  expect_values(casted({300, -1, 128}, I32, I8, CastMode::Rint), {44, -1, -128});
  expect_values(casted({-1, 256}, I32, U8, CastMode::Rint), {255, 0});
  expect_values(casted({0, 256, -3}, I32, BOOL, CastMode::Rint), {0, 1, 1});
  expect_values(casted({0, 0.25}, F32, BOOL, CastMode::Rint), {0, 1});
  expect_values(casted({-1.5, 3.140625}, BF16, F32, CastMode::Rint), {-1.5, 3.140625});
}

}  // namespace
}  // namespace golden_test
