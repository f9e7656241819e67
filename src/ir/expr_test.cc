#include "tilewright/ir/expr.h"

#include <gtest/gtest.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"

namespace tilewright::ir {
namespace {

const VarId kI(0);
const VarId kJ(1);
const Expr i = Expr::var(kI);
const Expr j = Expr::var(kJ);

std::string show(const Expr& e) {
  return text(e, [](VarId v) { return v == kI ? "i" : "j"; });
}

TEST(Expr, LinearFormsFold) {
  EXPECT_EQ((i + Expr(1)) * Expr(16) - i * Expr(16), Expr(16));
  EXPECT_EQ(i * Expr(3) + j - i * Expr(3), j);
  EXPECT_EQ(i * j, j * i);
  EXPECT_TRUE((i - i).is_constant());
  EXPECT_EQ(floor_div(i, Expr(1)), i);
  EXPECT_EQ(min(i, i), i);
}

TEST(Expr, TextIsReadableAndCanonical) {
  EXPECT_EQ(show(Expr(128) * i + Expr(64)), "i * 128 + 64");
  EXPECT_EQ(show(Expr(3) - i), "3 - i");
  EXPECT_EQ(show(floor_div(i + Expr(63), Expr(64))), "(i + 63) // 64");
  EXPECT_EQ(show(min(Expr(64), j - i * Expr(64))), "pl.min(64, j - i * 64)");
  EXPECT_EQ(show(mod(i, Expr(4)) * Expr(2)), "(i % 4) * 2");
  EXPECT_EQ(show(i * j - Expr(5)), "i * j - 5");
}

TEST(Expr, DivisionFloors) {
  EXPECT_EQ(floor_div(-7, 2), -4);
  EXPECT_EQ(floor_div(7, -2), -4);
  EXPECT_EQ(floor_mod(-7, 2), 1);
  EXPECT_EQ(floor_mod(7, -2), -1);
  EXPECT_THROW(floor_div(1, 0), UserError);
}

TEST(Expr, OverflowIsAnErrorNotAWrap) {
  const Expr big = i * Expr(INT64_MAX);
  ScalarEnv env(2);
  env.set(kI, 2);
  EXPECT_THROW(evaluate(big, env), UserError);
  EXPECT_THROW(Expr(INT64_MAX) + Expr(1), UserError);
}

TEST(Expr, UnknownVariablesGiveNoValue) {
  ScalarEnv env(2);
  env.set(kI, 5);
  EXPECT_EQ(evaluate(i * Expr(2), env), 10);
  EXPECT_EQ(evaluate(i + j, env), std::nullopt);
  env.set(kJ, 1);
  env.forget(kJ);
  EXPECT_EQ(evaluate(min(i, j), env), std::nullopt);
}

Expr random_expr(Rng& rng, int depth) {
  if (depth == 0) return rng.integer(0, 3) == 0 ? Expr(rng.integer(-9, 10)) : (rng.integer(0, 2) ? i : j);
  const Expr a = random_expr(rng, depth - 1);
  const Expr b = random_expr(rng, depth - 1);
  switch (rng.integer(0, 7)) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * Expr(rng.integer(-4, 5));
    case 3: return floor_div(a, Expr(rng.integer(1, 6)));
    case 4: return mod(a, Expr(rng.integer(1, 6)));
    case 5: return min(a, b);
    default: return max(a, b);
  }
}

TEST(Expr, EveryValueLiesWithinTheBounds) {
  Rng rng(7);
  for (int n = 0; n < 3000; ++n) {
    const Expr e = random_expr(rng, 3);
    const Range r = bounds(e, [](VarId v) { return v == kI ? Range{0, 5} : Range{-3, 2}; });
    for (int64_t vi = 0; vi <= 5; ++vi)
      for (int64_t vj = -3; vj <= 2; ++vj) {
        ScalarEnv env(2);
        env.set(kI, vi);
        env.set(kJ, vj);
        const int64_t value = *evaluate(e, env);
        ASSERT_TRUE(r.low && r.high) << show(e);
        ASSERT_GE(value, *r.low) << show(e);
        ASSERT_LE(value, *r.high) << show(e);
      }
  }
}

TEST(Expr, SubstitutionCommutesWithEvaluation) {
  Rng rng(8);
  for (int n = 0; n < 1000; ++n) {
    const Expr e = random_expr(rng, 3);
    const Expr s = e.substituted([](VarId v) { return v == kI ? std::optional(j * Expr(2) + Expr(1)) : std::nullopt; });
    ScalarEnv before(2);
    before.set(kI, 7);
    before.set(kJ, 3);
    ScalarEnv after(2);
    after.set(kJ, 3);
    ASSERT_EQ(evaluate(e, before), evaluate(s, after)) << show(e);
  }
}

}  // namespace
}  // namespace tilewright::ir
