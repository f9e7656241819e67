// Golden: matmul and sort ops against numbers worked out by hand or by another route.
#include <bit>

#include "support.h"
#include "tilewright/base/bf16_product.h"
#include "tilewright/base/rng.h"

namespace golden_test {
namespace {

HostArray random(DType t, const Shape& shape, uint64_t seed) {
  HostArray a(t, shape);
  Rng rng(seed);
  for (int64_t k = 0; k < a.size(); ++k) a.set(k, rng.normal());
  return a;
}

using Binary = std::function<Tile(const Tensor&, const Tensor&)>;

HostArray product(const HostArray& a, const HostArray& b, DType t, const Shape& shape,
                  const Binary& f) {
  return eval(list(a.clone(), b.clone()), t, shape,
              [&](Builder&, auto& x) { return f(x[0], x[1]); });
}

// ---- matmul ------------------------------------------------------------------------------------

TEST(GoldenMatmul, ByHand) {
  const HostArray a = array(BF16, {2, 3}, {1, 2, 3, 4, 5, 6});
  const HostArray b = array(BF16, {3, 2}, {1, 10, 2, 20, 3, 30});
  expect_values(product(a, b, F32, {2, 2}, [](auto& x, auto& y) { return matmul(x, y); }),
                {14, 140, 32, 320});
}

TEST(GoldenMatmul, TransposedOperandsAreTheSameProduct) {
  // Odd sizes, and orders that must be the same to the bit.
  const HostArray a = random(F32, {5, 7}, 1), b = random(F32, {7, 3}, 2);
  HostArray at(F32, {7, 5}), bt(F32, {3, 7});
  for (int64_t r = 0; r < 5; ++r)
    for (int64_t k = 0; k < 7; ++k) at.set(k * 5 + r, a.at(r * 7 + k));
  for (int64_t k = 0; k < 7; ++k)
    for (int64_t c = 0; c < 3; ++c) bt.set(c * 7 + k, b.at(k * 3 + c));
  const HostArray want = product(a, b, F32, {5, 3}, [](auto& x, auto& y) { return matmul(x, y); });
  for (int64_t r = 0; r < 5; ++r)
    for (int64_t c = 0; c < 3; ++c) {
      float sum = 0;
      for (int64_t k = 0; k < 7; ++k)
        sum =
            std::fma(static_cast<float>(a.at(r * 7 + k)), static_cast<float>(b.at(k * 3 + c)), sum);
      EXPECT_EQ(want.at(r * 3 + c), sum);
    }
  const auto with = [](bool ta, bool tb) {
    return [=](auto& x, auto& y) { return matmul(x, y, {.a_trans = ta, .b_trans = tb}); };
  };
  EXPECT_TRUE(want.same_bits(product(at, b, F32, {5, 3}, with(true, false))));
  EXPECT_TRUE(want.same_bits(product(a, bt, F32, {5, 3}, with(false, true))));
  EXPECT_TRUE(want.same_bits(product(at, bt, F32, {5, 3}, with(true, true))));
}

// Sums one after the other, each along ascending k.
HostArray product_by_elements(const HostArray& a, const HostArray& b, DType result) {
  const int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  HostArray out(result, {m, n});
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < n; ++c) {
      float sum = 0;
      uint32_t whole = 0;
      for (int64_t i = 0; i < k; ++i) {
        const double x = a.at(r * k + i), y = b.at(i * n + c);
        if (a.dtype() == F32)
          sum = std::fma(static_cast<float>(x), static_cast<float>(y), sum);
        else if (a.dtype() == BF16)
          sum = add_bf16_product(sum, static_cast<float>(x), static_cast<float>(y));
        else
          whole += static_cast<uint32_t>(static_cast<int32_t>(x)) *
                   static_cast<uint32_t>(static_cast<int32_t>(y));
      }
      out.set(r * n + c, result == I32 ? static_cast<double>(static_cast<int32_t>(whole)) : sum);
    }
  return out;
}

TEST(GoldenMatmul, EveryElementOfBlocksAndOfWhatIsLeftOfThem) {
  // Rows and columns are added in blocks; sizes around every block, with sums that are subnormal.
  const auto multiply = [](auto& x, auto& y) { return matmul(x, y); };
  for (const DType t : {BF16, F32, I8})
    for (const int64_t m : {1, 4, 7})
      for (const int64_t n : {5, 16, 43, 64, 85}) {
        HostArray a = random(F32, {m, 9}, 3), b = random(F32, {9, n}, 4);
        HostArray x(t, {m, 9}), y(t, {9, n});
        for (int64_t i = 0; i < a.size(); ++i)
          x.set(i, t == I8 ? std::round(40 * a.at(i)) : a.at(i) * (i % 3 == 0 ? 0x1p-64 : 1));
        for (int64_t i = 0; i < b.size(); ++i)
          y.set(i, t == I8 ? std::round(40 * b.at(i)) : b.at(i) * (i % 2 == 0 ? 0x1p-64 : 1));
        const DType result = t == I8 ? I32 : F32;
        EXPECT_TRUE(
            product(x, y, result, {m, n}, multiply).same_bits(product_by_elements(x, y, result)))
            << dtype_name(t) << " " << m << " x " << n;
      }
}

TEST(GoldenMatmul, AscendingK) {
  // 2^24 + 1 + 1 in this order loses both ones; from the other end it does not.
  const double big = 16777216;
  const HostArray ones = array(F32, {3, 1}, {1, 1, 1});
  const auto sum = [&](const std::vector<double>& row) {
    return product(array(F32, {1, 3}, row), ones, F32, {1, 1},
                   [](auto& x, auto& y) { return matmul(x, y); });
  };
  expect_values(sum({big, 1, 1}), {big});
  expect_values(sum({1, 1, big}), {big + 2});
}

TEST(GoldenMatmul, SubnormalNumbersAreZeroToBf16Only) {
  const double tiny = 0x1p-130, small = 0x1p-63;
  const auto multiply = [](auto& x, auto& y) { return matmul(x, y); };
  const auto dot = [&](DType left, DType right, double x, double y) {
    return product(array(left, {1, 1}, {x}), array(right, {1, 1}, {y}), F32, {1, 1}, multiply);
  };
  for (const auto& [left, right] : {std::pair{F32, F32}, {F32, BF16}}) {
    expect_values(dot(left, right, 1, tiny), {tiny});
    expect_values(dot(left, right, small, small / 8), {0x1p-129});
  }
  expect_values(dot(BF16, BF16, 1, tiny), {0});
  expect_values(dot(BF16, BF16, tiny, 0x1p100), {0});
  expect_values(dot(BF16, BF16, small, small / 8), {0});
  expect_values(dot(BF16, BF16, small, small), {0x1p-126});
  expect_values(dot(F16, F16, 0x1p-24, 0x1p-24), {0x1p-48});  // subnormal as FP16 only
}

TEST(GoldenMatmul, Bf16ProductsBeyondFp32AreRoundedInTheSum) {
  const HostArray a = array(BF16, {1, 2}, {-0x1.8p127, 0x1p64}),
                  b = array(BF16, {2, 1}, {1, 0x1p64});
  expect_values(product(a, b, F32, {1, 1}, [](auto& x, auto& y) { return matmul(x, y); }),
                {0x1p126});
}

TEST(GoldenMatmul, Fp32OperandsUseFma) {
  // (1 + e)^2 = 1 + 2e + e^2 with e = 2^-12: e^2 is lost when the product is rounded first.
  const float x = 1 + 0x1p-12f;
  const HostArray a = array(F32, {1, 2}, {-1, x}), b = array(F32, {2, 1}, {1, x});
  const HostArray y = product(a, b, F32, {1, 1}, [](auto& p, auto& q) { return matmul(p, q); });
  expect_values(y, {0x1p-11 + 0x1p-24});
}

TEST(GoldenMatmul, OutDtypeRoundsOnceAtTheEnd) {
  const HostArray a = array(BF16, {1, 4}, {256, 1, 1, 1}), b = array(BF16, {4, 1}, {1, 1, 1, 1});
  expect_values(product(a, b, BF16, {1, 1},
                        [](auto& x, auto& y) { return matmul(x, y, {.out_dtype = BF16}); }),
                {260});
}

TEST(GoldenMatmul, IntegersWrapAtThirtyTwoBits) {
  const HostArray a = array(I32, {1, 2}, {65536, 2}), b = array(I32, {2, 1}, {65536, 3});
  expect_values(product(a, b, I32, {1, 1}, [](auto& x, auto& y) { return matmul(x, y); }), {6});
  const HostArray m = array(I32, {2, 1}, {-65536, 3});
  expect_values(product(a, m, I32, {1, 1}, [](auto& x, auto& y) { return matmul(x, y); }), {6});
  const HostArray n = array(I32, {2, 1}, {-1, 3});  // seen before a store could wrap it
  expect_values(product(a, n, F32, {1, 1},
                        [](auto& x, auto& y) { return cast(matmul(x, y), F32); }),
                {6 - 65536});
  const HostArray c = array(I8, {1, 2}, {-128, 127}), d = array(I8, {2, 1}, {-128, 127});
  expect_values(product(c, d, I32, {1, 1}, [](auto& x, auto& y) { return matmul(x, y); }),
                {128 * 128 + 127 * 127});
}

TEST(GoldenMatmul, BatchesBroadcast) {
  const HostArray a = counting(BF16, {2, 1, 2}), b = counting(BF16, {2, 2});
  expect_values(product(a, b, F32, {2, 1, 2}, [](auto& x, auto& y) { return matmul(x, y); }),
                {2, 3, 6, 11});
  const HostArray c = counting(BF16, {1, 2, 1, 2}), d = counting(BF16, {2, 1, 2, 1});
  // c = {0 1}, {2 3}; d = {0 1}, {2 3} as columns.
  expect_values(product(c, d, F32, {2, 2, 1, 1}, [](auto& x, auto& y) { return matmul(x, y); }),
                {1, 3, 3, 13});
}

TEST(GoldenMatmul, AccumulatesFromTheOldValue) {
  // With small terms last they are lost one by one; summed first they would not be.
  const HostArray y = eval(list(array(BF16, {1, 2}, {1, 1}), array(BF16, {2, 1}, {1, 1})), F32,
                           {1, 1}, [](Builder& p, auto& x) {
                             Tile acc = p.full({1, 1}, F32, 16777216.0);
                             matmul_acc(acc, x[0], x[1]);
                             return acc;
                           });
  expect_values(y, {16777216});
  const HostArray sums = eval(list(counting(BF16, {2, 4}), counting(BF16, {4, 3})), F32, {2, 3},
                              [](Builder& p, auto& x) {
                                Tile acc = p.tensor("acc", {2, 3}, F32);
                                for (Index k : p.range(2)) {
                                  Tile a = slice(x[0], {2, 2}, {0, k * 2});
                                  Tile b = slice(x[1], {2, 3}, {k * 2, 0});
                                  {
                                    auto first = p.when(k == 0);
                                    assign(acc, matmul(a, b));
                                  }
                                  {
                                    auto rest = p.otherwise();
                                    matmul_acc(acc, a, b);
                                  }
                                }
                                return acc;
                              });
  expect_values(sums, {42, 48, 54, 114, 136, 158});
}

TEST(GoldenMatmul, AnUndefinedAccumulatorStaysUndefined) {
  const HostArray y = eval(list(counting(BF16, {1, 2})), F32, {1, 1}, [](Builder& p, auto& x) {
    Tile acc = p.accumulator({1, 1});
    matmul_acc(acc, x[0], x[0], {.b_trans = true});
    return acc;
  });
  expect_values(y, {kUndefined});
}

TEST(GoldenMatmul, BiasIsTheStart) {
  const HostArray y =
      eval(list(array(BF16, {2, 1}, {1, 2}), array(BF16, {1, 2}, {3, 4}),
                array(F32, {1, 2}, {100, 200})),
           F32, {2, 2}, [](Builder&, auto& x) { return matmul_bias(x[0], x[1], x[2]); });
  expect_values(y, {103, 204, 106, 208});
}

TEST(GoldenMatmul, GemvIsAMatmulOfOneRow) {
  const HostArray a = array(BF16, {1, 2}, {1, 2}), b = counting(BF16, {2, 2});
  expect_values(product(a, b, F32, {1, 2}, [](auto& x, auto& y) { return gemv(x, y); }), {4, 7});
}

TEST(GoldenMatmul, ValidExtents) {
  // Valid M = 1, K = 2, N = 1 of [2 x 3] x [3 x 2]; the rest must not be touched.
  const auto with = [](int64_t k_b) {
    return eval(list(counting(BF16, {2, 3}), counting(BF16, {3, 2})), F32, {2, 2},
                [=](Builder&, auto& x) {
                  return matmul(slice(x[0], {2, 3}, {0, 0}, {.valid_shape = {1, 2}}),
                                slice(x[1], {3, 2}, {0, 0}, {.valid_shape = {k_b, 1}}));
                });
  };
  expect_values(with(2), {2, kUndefined, kUndefined, kUndefined});
  expect_error("valid-mismatch", {"valid K is 2 on the left and 3 on the right"}, [&] { with(3); });
}

TEST(GoldenMatmul, ValidExtentsOfATransposedRightSide) {
  const HostArray y =
      eval(list(counting(BF16, {1, 3}), counting(BF16, {2, 3})), F32, {1, 2},
           [](Builder&, auto& x) {
             return matmul(slice(x[0], {1, 3}, {0, 0}),
                           slice(x[1], {2, 3}, {0, 0}, {.valid_shape = {1, 3}}), {.b_trans = true});
           });
  expect_values(y, {5, kUndefined});
}

TEST(GoldenMatmul, TheAccumulatorIsValidWhereTheProductIs) {
  expect_error("valid-mismatch", {"into full [2 x 2] f32"}, [] {
    eval(list(counting(BF16, {2, 2})), F32, {2, 2}, [](Builder& p, auto& x) {
      Tile acc = p.full({2, 2}, F32, 0.0);
      matmul_acc(acc, slice(x[0], {2, 2}, {0, 0}, {.valid_shape = {1, 2}}), x[0]);
      return acc;
    });
  });
}

// ---- sort --------------------------------------------------------------------------------------

float index_lane(uint32_t i) { return std::bit_cast<float>(i); }

TEST(GoldenSort, ArangeCounts) {
  const auto from = [](int64_t start, DType t) {
    return eval({}, t, {1, 3}, [=](Builder& p, auto&) { return p.arange(start, {1, 3}, t); });
  };
  expect_values(from(5, I32), {5, 6, 7});
  expect_values(from(127, I8), {127, -128, -127});
}

TEST(GoldenSort, Sort32SortsRunsDescendingAndIsStable) {
  HostArray x(F32, {2, 64}), index(I32, {2, 64});
  for (int64_t k = 0; k < 128; ++k) {
    x.set(k, static_cast<double>((k * 7) % 5));  // many ties
    index.set(k, static_cast<double>(1000 + k));
  }
  const HostArray y =
      product(x, index, F32, {2, 128}, [](auto& a, auto& b) { return sort32(a, b); });
  const auto lanes = y.as<float>();
  for (int64_t run = 0; run < 4; ++run) {
    uint64_t seen = 0;
    for (int64_t k = 0; k < 32; ++k) {
      const auto at = static_cast<std::size_t>(2 * (run * 32 + k));
      const auto original = std::bit_cast<uint32_t>(lanes[at + 1]) - 1000;
      ASSERT_EQ(static_cast<int64_t>(original) / 32, run);
      EXPECT_EQ(lanes[at], x.at(original));
      seen |= uint64_t{1} << (original % 32);
      if (k == 0) continue;
      EXPECT_GE(lanes[at - 2], lanes[at]);
      if (lanes[at - 2] == lanes[at]) {
        EXPECT_LT(std::bit_cast<uint32_t>(lanes[at - 1]), std::bit_cast<uint32_t>(lanes[at + 1]));
      }
    }
    EXPECT_EQ(seen, 0xFFFFFFFFu);
  }
}

TEST(GoldenSort, NanComesFirst) {
  HostArray x(F32, {1, 32}), index = counting(I32, {1, 32});
  x.set(5, kUndefined);
  x.set(7, kInf);
  const HostArray y =
      product(x, index, F32, {1, 64}, [](auto& a, auto& b) { return sort32(a, b); });
  expect_undefined(y, 0);
  EXPECT_EQ(std::bit_cast<uint32_t>(y.as<float>()[1]), 5u);
  EXPECT_EQ(y.at(2), kInf);
}

// Pairs (value, position) in lanes.
HostArray pairs(const std::vector<float>& values, uint32_t first) {
  HostArray a(F32, {1, 2 * static_cast<int64_t>(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) {
    a.as<float>()[2 * k] = values[k];
    a.as<float>()[2 * k + 1] = index_lane(first + static_cast<uint32_t>(k));
  }
  return a;
}

std::vector<uint32_t> positions(const HostArray& a) {
  std::vector<uint32_t> out;
  for (int64_t k = 1; k < a.size(); k += 2)
    out.push_back(std::bit_cast<uint32_t>(a.as<float>()[static_cast<std::size_t>(k)]));
  return out;
}

TEST(GoldenSort, MrgsortMergesGroupsOfFourRuns) {
  // Six runs of two pairs: a group of four and one of two.
  const HostArray in = pairs({9, 1, 8, 1, 7, 3, 9, 2, 5, 4, 6, 4}, 0);
  const HostArray y =
      eval(list(in.clone()), F32, {1, 24}, [](Builder&, auto& x) { return mrgsort(x[0], 4); });
  EXPECT_EQ(positions(y), (std::vector<uint32_t>{0, 6, 2, 4, 5, 7, 1, 3, 10, 8, 9, 11}));
  EXPECT_EQ(y.at(0), 9);
  EXPECT_EQ(y.at(16), 6);
}

TEST(GoldenSort, MrgsortOfTwoListsTakesTheFirstOnTies) {
  const HostArray y = product(pairs({5, 3}, 0), pairs({7, 5, 1}, 10), F32, {1, 10},
                              [](auto& a, auto& b) { return mrgsort(a, b); });
  EXPECT_EQ(positions(y), (std::vector<uint32_t>{10, 0, 11, 1, 12}));
}

TEST(GoldenSort, GatherMaskTakesEvenOrOddLanes) {
  const HostArray in = pairs({9, 8, 7}, 40);
  expect_values(eval(list(in.clone()), F32, {1, 3},
                     [](Builder&, auto& x) {
                       return gather_mask(x[0], ir::MaskPattern::P0101, F32);
                     }),
                {9, 8, 7});
  expect_values(eval(list(in.clone()), I32, {1, 3},
                     [](Builder&, auto& x) {
                       return gather_mask(x[0], ir::MaskPattern::P1010, I32);
                     }),
                {40, 41, 42});
  expect_values(eval(list(array(BF16, {1, 2}, {1, -2})), I16, {1, 1},
                     [](Builder&, auto& x) {
                       return gather_mask(x[0], ir::MaskPattern::P1010, I16);
                     }),
                {static_cast<double>(static_cast<int16_t>(0xC000))});
}

TEST(GoldenSort, GatherMaskOfAPartlyValidTile) {
  const auto with = [](int64_t lanes) {
    return eval(list(pairs({9, 8, 7}, 40)), F32, {1, 3}, [=](Builder&, auto& x) {
      return gather_mask(slice(x[0], {1, 6}, {0, 0}, {.valid_shape = {1, lanes}}),
                         ir::MaskPattern::P0101, F32);
    });
  };
  expect_values(with(5), {9, 8, kUndefined});
  expect_values(with(1), {kUndefined, kUndefined, kUndefined});
}

TEST(GoldenSort, GatherTakesNamedColumns) {
  const HostArray x = counting(F32, {2, 3}), index = array(I32, {2, 2}, {2, 0, 1, 1});
  const Binary take = [](auto& a, auto& b) { return gather(a, b); };
  expect_values(product(x, index, F32, {2, 2}, take), {2, 0, 4, 4});
  // An index inside the tile but outside its valid part finds nothing defined there.
  expect_values(product(x, index, F32, {2, 2},
                        [](auto& a, auto& b) {
                          return gather(slice(a, {2, 3}, {0, 0}, {.valid_shape = {2, 2}}), b);
                        }),
                {kUndefined, 0, 4, 4});
  for (double bad : {3.0, -1.0})
    expect_error("bounds", {"x1[1, 0]", "3 columns"}, [&] {
      product(x, array(I32, {2, 2}, {0, 0, bad, 0}), F32, {2, 2}, take);
    });
}

TEST(GoldenSort, SortingNeedsFullyValidTiles) {
  expect_error("valid-mismatch", {"sort32 of slice [1 x 32] f32 valid [1, 30]"}, [] {
    eval(list(HostArray(F32, {1, 32}), HostArray(I32, {1, 32})), F32, {1, 64},
         [](Builder&, auto& x) {
           return sort32(slice(x[0], {1, 32}, {0, 0}, {.valid_shape = {1, 30}}), x[1]);
         });
  });
}

}  // namespace
}  // namespace golden_test
