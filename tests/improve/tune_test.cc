// The search itself, on judges whose best point is known.
#include <gtest/gtest.h>

#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/improve/tune.h"

namespace tilewright::improve {
namespace {

const std::vector<int64_t> kValues{1, 2, 4, 8, 16, 32, 64, 128};

Space space_of(std::vector<std::string> keys, int64_t start = 1) {
  Space s;
  for (const std::string& k : keys) {
    s.axes.push_back({k, kValues});
    s.start[k] = start;
  }
  return s;
}

// A bowl around a = 16, b = 64, c = 4, with a ridge that no single key crosses.
Verdict bowl(const Point& p) {
  const auto off = [&](const char* key, double at) {
    return std::pow(std::log2(static_cast<double>(p.at(key)) / at), 2);
  };
  const bool trapped = p.at("a") >= 8 && p.at("b") < 32;
  return {100 + off("a", 16) + off("b", 64) + off("c", 4) + (trapped ? 50 : 0), 10, ""};
}

TEST(Tune, FindsTheBottom) {
  const Tuned t = tune(space_of({"a", "b", "c"}), bowl, {.candidates = 300});
  EXPECT_EQ(t.best, (Point{{"a", 16}, {"b", 64}, {"c", 4}}));
  EXPECT_EQ(t.best_verdict.time_us, 100);
  EXPECT_LE(t.judged, 300);
}

TEST(Tune, IsAFunctionOfItsSeedWhateverTheThreads) {
  std::vector<Point> walked[2];
  for (int threads : {1, 4}) {
    std::vector<double> bests;
    const Tuned t = tune(space_of({"a", "b", "c"}), bowl, {.candidates = 90, .seed = 7, .threads = threads},
                         [&](const Tuned& now) { walked[threads == 4].push_back(now.best); });
    EXPECT_EQ(t.judged, 90);
  }
  EXPECT_EQ(walked[0], walked[1]);
}

TEST(Tune, JudgesEveryPointOfASmallSpaceOnce) {
  std::map<Point, int> seen;
  const Tuned t = tune(space_of({"a", "b"}), [&](const Point& p) {
    ++seen[p];
    return Verdict{static_cast<double>(p.at("a") + p.at("b")), 1, ""};
  }, {});
  EXPECT_TRUE(t.exhausted);
  EXPECT_EQ(t.judged, 64);
  EXPECT_EQ(seen.size(), 64u);
  for (const auto& [point, times] : seen) EXPECT_EQ(times, 1);
  EXPECT_FALSE(t.better());
}

TEST(Tune, CountsWhatIsRefusedAndNeverReturnsIt) {
  const Tuned t = tune(space_of({"a", "b"}, 4), [](const Point& p) {
    if (p.at("a") > 16) return Verdict{0, 0, "capacity"};
    if (p.at("b") > 16) return Verdict{0, 0, "exact-div"};
    return Verdict{1000.0 - static_cast<double>(p.at("a") * p.at("b")), 1, ""};
  }, {});
  EXPECT_EQ(t.best, (Point{{"a", 16}, {"b", 16}}));
  EXPECT_EQ(t.refused.at("capacity"), 3 * 8);
  EXPECT_EQ(t.refused.at("exact-div"), 5 * 3);
}

TEST(Tune, LeavesAStartThatIsRefused) {
  const auto judge = [](const Point& p) {
    return p.at("a") < 8 || p.at("b") < 8 ? Verdict{1, 1, "hazard"} : Verdict{500, 1, ""};
  };
  const Tuned t = tune(space_of({"a", "b"}), judge, {});
  EXPECT_TRUE(t.found());
  EXPECT_GE(t.best.at("a"), 8);
  const Tuned nothing = tune(space_of({"a"}), [](const Point&) { return Verdict{0, 0, "x"}; }, {});
  EXPECT_FALSE(nothing.found());
  EXPECT_TRUE(nothing.exhausted);
}

TEST(Tune, StopsWhenAskedWithTheBestSoFar) {
  std::atomic<bool> stop{false};
  const Tuned t = tune(space_of({"a", "b", "c"}), bowl, {.candidates = 1000, .stop = &stop},
                       [&](const Tuned& now) { stop = now.judged >= 20; });
  EXPECT_TRUE(t.stopped);
  EXPECT_LE(t.judged, 21);
  EXPECT_LE(t.best_verdict.time_us, t.start_verdict.time_us);
}

TEST(Space, HoldsKeysThatKnowTheirChoices) {
  const catalog::Config config("s", {},
                               {{"tile", 64, "", 1, 512, {32, 64, 128, 1024}},
                                {"rows", 16, ""},
                                {"one", 3, "", 1, 8, {3}}});
  const Space s = make_space(config, {}, {});
  ASSERT_EQ(s.axes.size(), 1u);
  EXPECT_EQ(s.axes[0].values, (std::vector<int64_t>{32, 64, 128})) << "1024 is out of its range";
  EXPECT_EQ(s.size(), 3);
  const Space named = make_space(config, {{"rows", {8, 32}}}, {});
  ASSERT_EQ(named.axes.size(), 1u);
  EXPECT_EQ(named.axes[0].values, (std::vector<int64_t>{8, 16, 32}));
  EXPECT_THROW(require_axes(make_space(config, {}, {{"tile", 64}})), UserError);
  EXPECT_THROW(make_space(config, {{"tiel", {1, 2}}}, {}), UserError);
  EXPECT_THROW(make_space(config, {{"tile", {0, 64}}}, {}), UserError);
}

}  // namespace
}  // namespace tilewright::improve
