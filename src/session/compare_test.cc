#include "tilewright/session/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilewright::session {
namespace {

HostArray array_of(DType t, const std::vector<double>& values) {
  HostArray a(t, {static_cast<int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) a.set(static_cast<int64_t>(i), values[i]);
  return a;
}

Comparison compared(const std::vector<double>& actual, const std::vector<double>& expected,
                    catalog::Tolerance tolerance = {0, 0}, DType t = DType::F32) {
  return compare(array_of(t, actual), array_of(t, expected), tolerance);
}

TEST(Compare, ToleranceIsAbsolutePlusRelativeToTheExpectedValue) {
  EXPECT_TRUE(compared({1.5}, {1}, {0, 0.5}).passed());
  EXPECT_FALSE(compared({1.5}, {1}, {0, 0.25}).passed());
  EXPECT_TRUE(compared({6}, {4}, {0.5, 0}).passed());     // 2 <= 0.5 * 4
  EXPECT_FALSE(compared({4}, {6}, {0.25, 0}).passed());   // 2 > 0.25 * 6: expected, not actual
  EXPECT_TRUE(compared({-6}, {-4}, {0.25, 1}).passed());  // both parts add up
}

TEST(Compare, CountsMatchesAndKeepsTheFirstMismatches) {
  std::vector<double> actual(100, 0), expected(100, 0);
  for (std::size_t i = 10; i < 60; ++i) actual[i] = 1;
  actual[70] = 8;
  const Comparison c = compared(actual, expected, {0, 0.5});
  EXPECT_EQ(c.total, 100);
  EXPECT_EQ(c.matched, 49);
  EXPECT_EQ(c.mismatches.size(), kMismatchesKept);
  EXPECT_EQ(c.mismatches.front().index, 10);
  EXPECT_EQ(c.mismatches.back().index, 29);
  EXPECT_EQ(c.max_abs_error, 8);
  EXPECT_EQ(c.max_abs_error_index, 70);
}

TEST(Compare, NanAndInfNeverMatch) {
  const double inf = INFINITY;
  const catalog::Tolerance lax{1e9, 1e9};
  for (DType t : {DType::F32, DType::BF16, DType::F16}) {
    EXPECT_FALSE(compared({NAN}, {NAN}, lax, t).passed());
    EXPECT_FALSE(compared({inf}, {inf}, lax, t).passed());
    EXPECT_FALSE(compared({1}, {-inf}, lax, t).passed());
    EXPECT_FALSE(compared({NAN}, {1}, lax, t).passed());
  }
  const Comparison c = compared({NAN, 1, inf, 2}, {1, NAN, -inf, 2});
  EXPECT_EQ(c.matched, 1);
  EXPECT_EQ(c.finite, 1);
  EXPECT_EQ(c.actual_nan, 1);
  EXPECT_EQ(c.expected_nan, 1);
  EXPECT_EQ(c.actual_inf, 1);
  EXPECT_EQ(c.expected_inf, 1);
  EXPECT_EQ(c.mismatches.size(), 3u);
  EXPECT_EQ(compared({NAN}, {NAN}).max_abs_error_index, -1);
}

TEST(Compare, DistributionOfTheErrors) {
  std::vector<double> actual(1000), expected(1000, 0);
  for (std::size_t i = 0; i < 1000; ++i) actual[i] = static_cast<double>(i + 1);
  const Comparison c = compared(actual, expected);
  EXPECT_NEAR(c.p50, 500, 500 / 2048.0);
  EXPECT_NEAR(c.p90, 900, 900 / 2048.0);
  EXPECT_NEAR(c.p99, 990, 990 / 2048.0);
  EXPECT_EQ(c.relative_l2, std::numeric_limits<double>::infinity());
  EXPECT_EQ(c.cosine, 0);

  const Comparison close = compared({3, 5}, {3, 4});
  EXPECT_DOUBLE_EQ(close.relative_l2, 1 / 5.0);
  EXPECT_DOUBLE_EQ(close.cosine, 29 / (5 * std::sqrt(34.0)));
  EXPECT_EQ(compared({0, 0}, {0, 0}).cosine, 1);
  EXPECT_DOUBLE_EQ(compared({-1, -1}, {1, 1}).cosine, -1);
}

TEST(Compare, BlocksOfEveryTypeAndLength) {
  for (DType t : {DType::F32, DType::BF16, DType::I32, DType::U8}) {
    std::vector<double> values(4096 * 2 + 3);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 100);
    std::vector<double> wrong = values;
    wrong[4096] += 1;
    wrong.back() += 1;
    EXPECT_TRUE(compared(values, values, {0, 0}, t).passed());
    const Comparison c = compared(wrong, values, {0, 0}, t);
    EXPECT_EQ(c.total - c.matched, 2);
    EXPECT_EQ(c.mismatches[0].index, 4096);
    EXPECT_EQ(c.mismatches[1].index, 8194);
  }
}

TEST(Compare, ErrorBesideWhatWasAdded) {
  const HostArray base = array_of(DType::BF16, {100, 200});
  const HostArray expected = array_of(DType::F32, {103, 204});
  EXPECT_DOUBLE_EQ(relative_to_added(array_of(DType::F32, {103, 205}), expected, base), 0.2);
  EXPECT_EQ(relative_to_added(expected, expected, expected), 0);
}

TEST(Compare, IndexAsSubscripts) {
  EXPECT_EQ(index_text(0, {2, 3, 4}), "[0, 0, 0]");
  EXPECT_EQ(index_text(23, {2, 3, 4}), "[1, 2, 3]");
}

}  // namespace
}  // namespace tilewright::session
