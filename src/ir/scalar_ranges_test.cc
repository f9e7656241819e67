#include "tilewright/ir/scalar_ranges.h"

#include <gtest/gtest.h>

#include "tilewright/base/rng.h"
#include "tilewright/ir/statements.h"

namespace tilewright::ir {
namespace {

const VarId kUnknown(0), kNamed(1), kTrip(2);
const Expr n = Expr::var(kUnknown);
const Expr m = Expr::var(kNamed);

Let let(VarId v, const Expr& value) { return {v, value, {}}; }

TEST(ScalarRanges, FollowMinimaThroughNames) {
  const ScalarEnv env(3);
  ScalarRanges ranges;
  ranges.let(let(kNamed, min(n, Expr(12))), env);
  EXPECT_EQ(ranges.of(m * Expr(2) + Expr(1), env).high, 25);
  EXPECT_FALSE(ranges.of(m, env).low);
  ranges.let(let(kNamed, n), env);
  EXPECT_FALSE(ranges.of(m, env).high) << "what was known is known no more";
}

TEST(ScalarRanges, AValueIsBetterThanARange) {
  ScalarEnv env(3);
  ScalarRanges ranges;
  ranges.let(let(kNamed, mod(n, Expr(8))), env);
  env.set(kNamed, 3);
  EXPECT_EQ(ranges.of(m, env).low, 3);
  EXPECT_EQ(ranges.of(m, env).high, 3);
}

// With every value that a range allows, a loop has at most so many trips, and once exactly so many.
TEST(ScalarRanges, MostTripsIsTheLargestNumberOfTrips) {
  Rng rng(5);
  for (int round = 0; round < 300; ++round) {
    const int64_t low = rng.integer(-6, 7), high = low + rng.integer(0, 8);
    const int64_t other = rng.integer(-9, 10);
    const int64_t step = rng.integer(1, 4) * (rng.integer(0, 2) ? 1 : -1);
    const bool unknown_stop = rng.integer(0, 2);
    const Expr start = unknown_stop ? Expr(other) : m;
    const Expr stop = unknown_stop ? m : Expr(other);
    const ScalarEnv env(3);
    ScalarRanges ranges;
    ranges.set(kNamed, {low, high});
    int64_t most = 0;
    for (int64_t value = low; value <= high; ++value) {
      const int64_t from = unknown_stop ? other : value;
      const int64_t to = unknown_stop ? value : other;
      int64_t trips = 0;
      for (int64_t i = from; step > 0 ? i < to : i > to; i += step) ++trips;
      most = std::max(most, trips);
    }
    EXPECT_EQ(ranges.most_trips({start, stop, step}, env), most);
    ranges.loop(kTrip, {start, stop, step}, env);
    EXPECT_TRUE(ranges.of(Expr::var(kTrip), env).low && ranges.of(Expr::var(kTrip), env).high);
  }
}

}  // namespace
}  // namespace tilewright::ir
