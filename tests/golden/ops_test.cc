// Golden: elementwise and reduce ops against numbers worked out by hand.
#include <array>
#include <bit>

#include "support.h"
#include "tilewright/base/rng.h"

namespace golden_test {
namespace {

using ir::Compare;

// The op on whole operands of one type, with a result of the same.
HostArray same(const std::vector<double>& values, DType t, const Body& body) {
  const Shape shape{1, static_cast<int64_t>(values.size())};
  return eval(list(array(t, shape, values)), t, shape, body);
}

// ---- elementwise -------------------------------------------------------------------------------

HostArray both(const HostArray& a, const HostArray& b, DType t, const Shape& shape,
               const std::function<Tile(const Tensor&, const Tensor&)>& f) {
  return eval(list(a.clone(), b.clone()), t, shape,
              [&](Builder&, auto& x) { return f(x[0], x[1]); });
}

TEST(GoldenElementwise, FloatsRoundOnceToTheResultType) {
  const HostArray a = array(BF16, {1, 2}, {256, 3}), b = array(BF16, {1, 2}, {1, 7});
  const auto of = [&](auto f) {
    return both(a, b, BF16, {1, 2}, [&](auto& x, auto& y) { return f(x, y); });
  };
  expect_values(of([](auto& x, auto& y) { return add(x, y); }), {256, 10});
  expect_values(of([](auto& x, auto& y) { return sub(x, y); }), {255, -4});
  expect_values(of([](auto& x, auto& y) { return mul(x, y); }), {256, 21});
  expect_values(of([](auto& x, auto& y) { return div(x, y); }), {256, 0.427734375});  // 3/7
  expect_values(of([](auto& x, auto& y) { return maximum(x, y); }), {256, 7});
  expect_values(of([](auto& x, auto& y) { return minimum(x, y); }), {1, 3});
}

TEST(GoldenElementwise, ResultsAreRoundedOnChip) {
  // Seen in FP32 before any store could round them; 256 + 1 and 256 + 3 are ties in BF16.
  const auto seen = [](const Shape& shape, auto f) {
    return eval(list(array(BF16, {1, 2}, {256, 2})), F32, shape,
                [&](Builder&, auto& x) { return cast(f(x[0]), F32); });
  };
  expect_values(seen({1, 2}, [](const Tile& x) { return add(x, 1.0); }), {256, 3});
  expect_values(seen({1, 2}, [](const Tile& x) { return sqrt(x); }), {16, 1.4140625});
  expect_values(seen({1, 1}, [](const Tile& x) { return row_sum(add(x, 1.0)); }), {260});
}

TEST(GoldenElementwise, ScalarsAreFp32) {
  // A BF16 tile times 1/3 in FP32: 3 * 0.333333343 rounds to 1; with a BF16 third it would not.
  expect_values(same({3, 6}, BF16, [](Builder&, auto& x) { return mul(x[0], 1.0 / 3); }), {1, 2});
  expect_values(same({1, 2}, F32, [](Builder&, auto& x) { return sub(x[0], 0.5); }), {0.5, 1.5});
  expect_values(same({1, 2}, F32, [](Builder&, auto& x) { return div(x[0], 4.0); }), {0.25, 0.5});
  expect_values(same({1, 3}, F32, [](Builder&, auto& x) { return maximum(x[0], 2.0); }), {2, 3});
  expect_values(same({1, 3}, I32, [](Builder&, auto& x) { return minimum(x[0], 2); }), {1, 2});
}

TEST(GoldenElementwise, NanWinsAndZerosAreOrdered) {
  const double nan = kUndefined;
  const HostArray a = array(F32, {1, 4}, {nan, 1, 0.0, -0.0});
  const HostArray b = array(F32, {1, 4}, {1, nan, -0.0, 0.0});
  const HostArray up = both(a, b, F32, {1, 4}, [](auto& x, auto& y) { return maximum(x, y); });
  const HostArray down = both(a, b, F32, {1, 4}, [](auto& x, auto& y) { return minimum(x, y); });
  expect_values(up, {nan, nan, 0, 0});
  expect_values(down, {nan, nan, 0, 0});
  EXPECT_FALSE(std::signbit(up.at(2)) || std::signbit(up.at(3)));
  EXPECT_TRUE(std::signbit(down.at(2)) && std::signbit(down.at(3)));
}

TEST(GoldenElementwise, IntegersWrapAndDivideTowardZero) {
  const HostArray a = array(I8, {1, 3}, {100, -128, -7}), b = array(I8, {1, 3}, {100, -1, 2});
  const auto of = [&](auto f) {
    return both(a, b, I8, {1, 3}, [&](auto& x, auto& y) { return f(x, y); });
  };
  expect_values(of([](auto& x, auto& y) { return add(x, y); }), {-56, 127, -5});
  expect_values(of([](auto& x, auto& y) { return mul(x, y); }), {16, -128, -14});
  expect_values(of([](auto& x, auto& y) { return div(x, y); }), {1, -128, -3});
  HostArray lowest(I64, {1, 1}), minus(I64, {1, 1});
  lowest.as<int64_t>()[0] = INT64_MIN;
  minus.as<int64_t>()[0] = -1;
  const HostArray q = both(lowest, minus, I64, {1, 1}, [](auto& x, auto& y) { return div(x, y); });
  EXPECT_EQ(q.as<int64_t>()[0], INT64_MIN);
  expect_error("div-zero", {"div"}, [&] {
    same({1, 2}, I32, [](Builder&, auto& x) { return div(x[0], 0); });
  });
}

TEST(GoldenElementwise, UnsignedSixtyFourBitsAreOrderedAsSuch) {
  HostArray a(U64, {1, 2}), b(U64, {1, 2});
  a.as<uint64_t>()[0] = UINT64_MAX;
  a.as<uint64_t>()[1] = 7;
  b.as<uint64_t>()[0] = 2;
  b.as<uint64_t>()[1] = uint64_t{1} << 63;
  const auto of = [&](DType t, auto f) {
    return both(a, b, t, {1, 2}, [&](auto& x, auto& y) { return f(x, y); });
  };
  const HostArray q = of(U64, [](auto& x, auto& y) { return div(x, y); });
  EXPECT_EQ(q.as<uint64_t>()[0], UINT64_MAX / 2);
  EXPECT_EQ(q.as<uint64_t>()[1], 0u);
  const HostArray m = of(U64, [](auto& x, auto& y) { return maximum(x, y); });
  EXPECT_EQ(m.as<uint64_t>()[0], UINT64_MAX);
  EXPECT_EQ(m.as<uint64_t>()[1], uint64_t{1} << 63);
  expect_values(of(BOOL, [](auto& x, auto& y) { return cmp(x, y, Compare::Lt); }), {0, 1});
}

TEST(GoldenElementwise, MixedTypesPromote) {
  const HostArray a = array(I32, {1, 2}, {3, -4}), b = array(BF16, {1, 2}, {0.5, 0.25});
  expect_values(both(a, b, BF16, {1, 2}, [](auto& x, auto& y) { return mul(x, y); }), {1.5, -1});
  const HostArray u = array(U8, {1, 2}, {200, 255}), s = array(I8, {1, 2}, {1, 1});
  expect_values(both(u, s, I8, {1, 2}, [](auto& x, auto& y) { return add(x, y); }), {-55, 0});
}

TEST(GoldenElementwise, Broadcasts) {
  const HostArray m = counting(F32, {2, 3}), row = array(F32, {1, 3}, {10, 20, 30});
  const HostArray col = array(F32, {2, 1}, {100, 200});
  const auto sum = [](auto& x, auto& y) { return add(x, y); };
  expect_values(both(m, row, F32, {2, 3}, sum), {10, 21, 32, 13, 24, 35});
  expect_values(both(col, m, F32, {2, 3}, sum), {100, 101, 102, 203, 204, 205});
  expect_values(both(col, row, F32, {2, 3}, sum), {110, 120, 130, 210, 220, 230});
  const HostArray cube = counting(F32, {2, 2, 3});
  expect_values(both(cube, col, F32, {2, 2, 3}, sum),
                {100, 101, 102, 203, 204, 205, 106, 107, 108, 209, 210, 211});
}

TEST(GoldenElementwise, ExpandForms) {
  const HostArray m = array(F32, {2, 2}, {1, 2, 3, 4});
  const HostArray col = array(F32, {2, 1}, {2, 4}), row = array(F32, {1, 2}, {8, 16});
  const auto of = [&](const HostArray& v, auto f) {
    return both(m, v, F32, {2, 2}, [&](auto& x, auto& y) { return f(x, y); });
  };
  expect_values(of(col, [](auto& x, auto& v) { return row_expand_add(x, v); }), {3, 4, 7, 8});
  expect_values(of(col, [](auto& x, auto& v) { return row_expand_sub(x, v); }), {-1, 0, -1, 0});
  expect_values(of(col, [](auto& x, auto& v) { return row_expand_mul(x, v); }), {2, 4, 12, 16});
  expect_values(of(col, [](auto& x, auto& v) { return row_expand_div(x, v); }), {.5, 1, .75, 1});
  expect_values(of(row, [](auto& x, auto& v) { return col_expand_add(x, v); }), {9, 18, 11, 20});
  expect_values(of(row, [](auto& x, auto& v) { return col_expand_sub(x, v); }), {-7, -14, -5, -12});
  expect_values(of(row, [](auto& x, auto& v) { return col_expand_mul(x, v); }), {8, 32, 24, 64});
  expect_values(of(row, [](auto& x, auto& v) { return col_expand_div(x, v); }),
                {.125, .125, .375, .25});
}

TEST(GoldenElementwise, ValidWhereTheFirstOperandIs) {
  const auto sum = [](int64_t rows_a, int64_t rows_b) {
    return eval(list(counting(F32, {3, 2})), F32, {3, 2}, [=](Builder&, auto& x) {
      return add(partly(x[0], rows_a, 2), partly(x[0], rows_b, 2));
    });
  };
  expect_values(sum(2, 2), {0, 2, 4, 6, kUndefined, kUndefined});
  expect_values(sum(2, 3), {0, 2, 4, 6, kUndefined, kUndefined});
  expect_values(sum(3, 2), {0, 2, 4, 6, kUndefined, kUndefined});
  // A broadcast dimension takes the other side's extent.
  const HostArray y =
      eval(list(counting(F32, {2, 3}), counting(F32, {2, 1}, 10)), F32, {2, 1},
           [](Builder&, auto& x) { return row_sum(row_expand_add(partly(x[0], 2, 2), x[1])); });
  expect_values(y, {1, 27});
}

TEST(GoldenElementwise, Comparisons) {
  const HostArray a = array(F32, {1, 4}, {1, 2, 3, kUndefined}),
                  b = array(F32, {1, 4}, {2, 2, 2, 1});
  const auto of = [&](Compare how) {
    return both(a, b, BOOL, {1, 4}, [&](auto& x, auto& y) { return cmp(x, y, how); });
  };
  expect_values(of(Compare::Eq), {0, 1, 0, 0});
  expect_values(of(Compare::Ne), {1, 0, 1, 1});
  expect_values(of(Compare::Lt), {1, 0, 0, 0});
  expect_values(of(Compare::Le), {1, 1, 0, 0});
  expect_values(of(Compare::Gt), {0, 0, 1, 0});
  expect_values(of(Compare::Ge), {0, 1, 1, 0});
  expect_values(eval(list(array(I32, {1, 2}, {4, 5})), BOOL, {1, 2},
                     [](Builder&, auto& x) { return cmp(x[0], 5, Compare::Ge); }),
                {0, 1});
}

TEST(GoldenElementwise, Unary) {
  const HostArray n = same({0.0, -3, kInf}, F32, [](Builder&, auto& x) { return neg(x[0]); });
  expect_values(n, {0, 3, -kInf});
  EXPECT_TRUE(std::signbit(n.at(0)));
  expect_values(same({-128, 5}, I8, [](Builder&, auto& x) { return neg(x[0]); }), {-128, -5});
  // The nearest FP32 to e and to 1/sqrt(2); sqrt and 1/x are rounded by the machine.
  expect_values(same({0, 1, -kInf}, F32, [](Builder&, auto& x) { return exp(x[0]); }),
                {1, 2.71828174591064453125, 0});
  expect_values(same({4, 2}, F32, [](Builder&, auto& x) { return rsqrt(x[0]); }),
                {0.5, 0.707106769084930419921875});
  expect_values(same({9, 2}, F32, [](Builder&, auto& x) { return sqrt(x[0]); }),
                {3, 1.41421353816986083984375});
  expect_values(same({4, 3}, F32, [](Builder&, auto& x) { return recip(x[0]); }),
                {0.25, 0.3333333432674407958984375});
  expect_values(same({2}, BF16, [](Builder&, auto& x) { return sqrt(x[0]); }), {1.4140625});
  expect_values(eval(list(array(I32, {1, 1}, {16})), F32, {1, 1},
                     [](Builder&, auto& x) { return rsqrt(x[0]); }),
                {0.25});
}

TEST(GoldenElementwise, AbsAndLog) {
  expect_values(same({-1.5, -0.0, kInf, -kInf, kUndefined}, F32,
                     [](Builder&, auto& x) { return abs(x[0]); }),
                {1.5, 0, kInf, kInf, kUndefined});
  expect_values(same({-128, -5, 7}, I8, [](Builder&, auto& x) { return abs(x[0]); }), {-128, 5, 7});
  // The nearest FP32 to ln 2 and ln 10.
  expect_values(same({1, 2, 10, 0, -1}, F32, [](Builder&, auto& x) { return log(x[0]); }),
                {0, 0.693147182464599609375, 2.302585124969482421875, -kInf, kUndefined});
  expect_values(same({2}, BF16, [](Builder&, auto& x) { return log(x[0]); }), {0.69140625});
}

TEST(GoldenElementwise, FmodHasTheSignOfItsLeftOperand) {
  expect_values(same({17.5, -17.5, 16, 0.25, kInf}, F32,
                     [](Builder&, auto& x) { return fmod(x[0], 16.0); }),
                {1.5, -1.5, 0, 0.25, kUndefined});
  const HostArray a = array(I32, {1, 4}, {17, -17, 17, -17}), b = array(I32, {1, 4}, {5, 5, -5, -1});
  const auto rest = [](auto& x, auto& y) { return fmod(x, y); };
  expect_values(both(a, b, I32, {1, 4}, rest), {2, -2, 2, 0});
  expect_error("div-zero", {"integer division by zero in fmod"},
               [&] { both(a, array(I32, {1, 4}, {1, 0, 1, 1}), I32, {1, 4}, rest); });
}

TEST(GoldenElementwise, ExpandRepeatsTheVector) {
  const HostArray row = array(F32, {1, 3}, {10, 20, 30}), col = array(F32, {2, 1}, {7, 8});
  const auto into = [](auto expand) {
    return [expand](Builder& p, auto& x) { return expand(p.full({2, 3}, F32, 0.0), x[0]); };
  };
  expect_values(eval(list(row.clone()), F32, {2, 3},
                     into([](const Tile& t, const Tile& v) { return col_expand(t, v); })),
                {10, 20, 30, 10, 20, 30});
  expect_values(eval(list(col.clone()), F32, {2, 3},
                     into([](const Tile& t, const Tile& v) { return row_expand(t, v); })),
                {7, 7, 7, 8, 8, 8});
  const HostArray ints = array(I32, {1, 3}, {-1, 0, 5});
  expect_values(both(counting(I32, {2, 3}), ints, I32, {2, 3},
                     [](auto& x, auto& v) { return col_expand(x, v); }),
                {-1, 0, 5, -1, 0, 5});
}

TEST(GoldenElementwise, FullRoundsItsValue) {
  expect_values(eval({}, BF16, {1, 2},
                     [](Builder& p, auto&) {
                       return p.full({1, 2}, BF16, 0.1);
                     }),
                {0.10009765625, 0.10009765625});
}

// ---- reduce ------------------------------------------------------------------------------------

HostArray row_sum_of(const std::vector<double>& x, DType t = F32) {
  return eval(list(array(t, {1, static_cast<int64_t>(x.size())}, x)), t, {1, 1},
              [](Builder&, auto& in) { return row_sum(in[0]); });
}

TEST(GoldenReduce, RowSumAddsSixteenPartials) {
  // 2^24 + 1 rounds back to 2^24, so the result tells which numbers met first.
  const double big = 16777216;
  std::vector<double> x(33, 0.0);
  x[0] = big, x[1] = 1, x[3] = 1;  // 1 and 3 meet before they meet 0
  expect_values(row_sum_of(x), {big + 2});
  x.assign(33, 0.0);
  x[0] = big, x[1] = 1, x[2] = 1;  // 2 meets 0 alone, then 1 does
  expect_values(row_sum_of(x), {big});
  x.assign(33, 0.0);
  x[0] = big, x[16] = 1, x[32] = 1;  // the same partial, one after the other
  expect_values(row_sum_of(x), {big});
  x.assign(33, 0.0);
  x[0] = big, x[7] = 1, x[23] = 1;  // another partial
  expect_values(row_sum_of(x), {big + 2});
}

TEST(GoldenReduce, RowSumOrderOnRandomRows) {
  Rng rng(3);
  for (int64_t n : {1, 15, 16, 17, 40, 100}) {
    std::vector<double> x;
    for (int64_t k = 0; k < n; ++k) x.push_back(static_cast<float>(rng.normal() * 1e3));
    std::array<float, 16> p{};
    for (std::size_t k = 0; k < x.size(); ++k) p[k % 16] += static_cast<float>(x[k]);
    const auto q = [&](std::size_t i) { return p[i] + p[i + 8]; };
    const auto h = [&](std::size_t i) { return q(i) + q(i + 4); };
    const float want = (h(0) + h(2)) + (h(1) + h(3));
    expect_values(row_sum_of(x), {want});
  }
}

TEST(GoldenReduce, SumsStayInFp32UntilTheEnd) {
  // In BF16 every step 256 + 1 would be lost; in FP32 three of them are not.
  expect_values(row_sum_of({256, 1, 1, 1}, BF16), {260});
  const auto down = [](const std::vector<double>& x) {
    return eval(list(array(BF16, {4, 1}, x)), F32, {1, 1},
                [](Builder&, auto& in) { return cast(col_sum(in[0]), F32); });
  };
  expect_values(down({256, 1, 1, 1}), {260});
  expect_values(down({256, 1, 0, 0}), {256});
}

TEST(GoldenReduce, ColSumAscendsRows) {
  const double big = 16777216;
  const HostArray y = eval(list(array(F32, {3, 2}, {big, 1, 1, 1, 1, big})), F32, {1, 2},
                           [](Builder&, auto& x) { return col_sum(x[0]); });
  expect_values(y, {big, big + 2});
}

TEST(GoldenReduce, ColumnsOfTheLargestAndSmallest) {
  const auto of = [](DType t, const std::vector<double>& x, auto f) {
    return eval(list(array(t, {1, static_cast<int64_t>(x.size())}, x)), I32, {1, 1},
                [&](Builder&, auto& in) { return f(in[0]); });
  };
  const auto largest = [](const Tile& t) { return row_argmax(t); };
  const auto smallest = [](const Tile& t) { return row_argmin(t); };
  expect_values(of(F32, {1, 9, 9, -2, -2}, largest), {1});  // the first of several
  expect_values(of(F32, {1, 9, 9, -2, -2}, smallest), {3});
  expect_values(of(F32, {0.0, -0.0}, largest), {0});  // zeros are equal
  const double nan = std::bit_cast<float>(0x7FC00001u);
  expect_values(of(F32, {1, nan, 9, nan}, largest), {1});  // NaN wins
  expect_values(of(F32, {1, nan, 9, nan}, smallest), {1});
  expect_values(of(I32, {4, -7, 4}, largest), {0});
  expect_values(of(U64, {4, 7, 3}, smallest), {2});
}

TEST(GoldenReduce, ColMaxAndColMin) {
  const auto of = [](DType t, const HostArray& x, const Shape& shape, auto f) {
    return eval(list(x.clone()), t, shape, [&](Builder&, auto& in) { return f(in[0]); });
  };
  const auto most = [](const Tile& t) { return col_max(t); };
  const auto least = [](const Tile& t) { return col_min(t); };
  const HostArray x = array(F32, {3, 2}, {1, -4, 5, kUndefined, 2, 7});
  expect_values(of(F32, x, {1, 2}, most), {5, kUndefined});
  expect_values(of(F32, x, {1, 2}, least), {1, kUndefined});
  const HostArray cube = counting(I32, {2, 2, 3});
  expect_values(of(I32, cube, {2, 1, 3}, most), {3, 4, 5, 9, 10, 11});
  expect_values(of(I32, cube, {2, 1, 3}, least), {0, 1, 2, 6, 7, 8});
}

TEST(GoldenReduce, OverTheValidPartOnly) {
  const HostArray x = counting(F32, {3, 4});
  const auto of = [&](const Shape& shape, auto f) {
    return eval(list(x.clone()), F32, shape,
                [&](Builder&, auto& in) { return f(partly(in[0], 2, 3)); });
  };
  expect_values(of({3, 1}, [](const Tile& t) { return row_sum(t); }), {3, 15, kUndefined});
  expect_values(of({3, 1}, [](const Tile& t) { return row_max(t); }), {2, 6, kUndefined});
  expect_values(of({3, 1}, [](const Tile& t) { return row_min(t); }), {0, 4, kUndefined});
  expect_values(of({1, 4}, [](const Tile& t) { return col_sum(t); }), {4, 6, 8, kUndefined});
  expect_values(of({1, 4}, [](const Tile& t) { return col_max(t); }), {4, 5, 6, kUndefined});
  expect_values(of({1, 4}, [](const Tile& t) { return col_min(t); }), {0, 1, 2, kUndefined});
}

TEST(GoldenReduce, HigherRanksAndIntegers) {
  const HostArray cube = counting(I32, {2, 2, 3});
  const auto of = [&](const Shape& shape, auto f) {
    return eval(list(cube.clone()), I32, shape, [&](Builder&, auto& in) { return f(in[0]); });
  };
  expect_values(of({2, 2, 1}, [](const Tile& t) { return row_sum(t); }), {3, 12, 21, 30});
  expect_values(of({2, 2, 1}, [](const Tile& t) { return row_max(t); }), {2, 5, 8, 11});
  expect_values(of({2, 2, 1}, [](const Tile& t) { return row_min(t); }), {0, 3, 6, 9});
  expect_values(of({2, 1, 3}, [](const Tile& t) { return col_sum(t); }), {3, 5, 7, 15, 17, 19});
  expect_values(row_sum_of({100, 100}, I8), {-56});
}

TEST(GoldenReduce, NanPropagatesFromAnyColumn) {
  for (std::size_t at : {0u, 1u, 2u}) {
    std::vector<double> x{1, 2, 3};
    x[at] = kUndefined;
    const auto of = [&](auto f) {
      return eval(list(array(F32, {1, 3}, x)), F32, {1, 1},
                  [&](Builder&, auto& in) { return f(in[0]); });
    };
    expect_values(of([](const Tile& t) { return row_max(t); }), {kUndefined});
    expect_values(of([](const Tile& t) { return row_min(t); }), {kUndefined});
  }
}

}  // namespace
}  // namespace golden_test
