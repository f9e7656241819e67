// The simulator beside published measurements. What it was fitted to must be near; what it was not
// fitted to says how far to trust it, and that is what its intervals are made of.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tilewright/published/left_out.h"
#include "tilewright/published/scatter.h"

namespace tilewright::published {
namespace {

const platform::Platform& a2a3() { return platform::builtin_platform("a2a3"); }

const Calibration& calibration() {
  static const Calibration kCalibration(session::request_for("a2a3sim"));
  return kCalibration;
}

struct Known {
  Sensitivities sensitivities;
  LeftOut left_out;
};
const Known& known() {
  static const Known kKnown = [] {
    Sensitivities s = sensitivities(calibration(), a2a3());
    LeftOut l = leave_threads_out(calibration(), a2a3(), s);
    return Known{std::move(s), std::move(l)};
  }();
  return kKnown;
}

TEST(Calibration, EveryRowIsInsideItsLimit) {
  for (const CalibrationRow& r : calibration().rows(a2a3()))
    EXPECT_TRUE(r.near) << r.row << " " << r.what << " " << r.quantity << " " << r.predicted
                        << " for " << r.measured;
}

TEST(Calibration, AnotherMachineIsTooFar) {
  EXPECT_FALSE(passed(calibration().rows(
      platform::overridden(a2a3(), "timing.memory.hbm_gb_per_s=300"))));
}

// Which tasks start first may hang on a few nanoseconds; no prediction may hang on that.
TEST(Calibration, NoRowDependsOnTheLastPercentOfARuntimeCost) {
  const auto usual = calibration().rows(a2a3());
  for (const platform::Fact& f : a2a3().facts) {
    if (!f.path.starts_with("runtime.") || f.unit != "ns") continue;
    for (const double factor : {0.95, 1.05}) {
      const auto changed =
          calibration().rows(platform::with_numbers(a2a3(), {{f.path, f.value * factor}}));
      for (std::size_t i = 0; i < usual.size(); ++i)
        EXPECT_NEAR(changed[i].predicted / usual[i].predicted, 1, 0.05)
            << f.path << " x " << factor << ", row " << usual[i].row << " " << usual[i].what;
    }
  }
}

// A greedy scheduler has anomalies: with something faster another task may start first. On programs
// of some size they must stay below this.
constexpr double kAnomaly = 1.02;

void expect_not_slower(const std::vector<CalibrationRow>& usual, const platform::Platform& faster,
                       const std::string& what) {
  const auto changed = calibration().rows(faster);
  for (std::size_t i = 0; i < usual.size(); ++i)
    if (usual[i].quantity == quantity_name(Quantity::Total)) {
      EXPECT_LE(changed[i].predicted, kAnomaly * usual[i].predicted)
          << what << ", row " << usual[i].row << " " << usual[i].what;
    }
}

TEST(Calibration, AFasterLinkMakesNothingSlower) {
  const auto usual = calibration().rows(a2a3());
  for (const platform::Fact& f : a2a3().facts) {
    const bool link = f.path.starts_with("timing.gm.") || f.path.starts_with("timing.memory.hbm") ||
                      f.path.starts_with("timing.cube.l0") || f.path.starts_with("timing.cross.");
    const bool rate = f.unit == "bytes per cycle" || f.unit == "GB/s";
    if (!link || f.unit.empty()) continue;
    for (const double factor : {1.1, 2.0})
      expect_not_slower(usual,
                        platform::with_numbers(
                            a2a3(), {{f.path, rate ? f.value * factor : f.value / factor}}),
                        f.path);
  }
}

// But for the LM head: its 297 equal tasks are bound by HBM, so a last wave of few tasks, which does
// not use all of HBM, is time lost. 23 cores end with a wave of 21, 24 with one of 9.
TEST(Calibration, OneMoreClusterMakesNothingSlower) {
  constexpr int kLmHead = 10;
  for (const int clusters : {8, 20, 23, 24, 25}) {
    const auto with_clusters = [](double c) {
      return platform::with_numbers(a2a3(), {{"cores.cube", c}, {"cores.vector", 2 * c}});
    };
    auto usual = calibration().rows(with_clusters(clusters));
    for (CalibrationRow& r : usual)
      if (r.row == kLmHead) r.quantity = "not compared";
    expect_not_slower(usual, with_clusters(clusters + 1),
                      std::to_string(clusters) + " clusters and one more");
  }
}

TEST(LeftOut, ThreadsThatNobodyFittedArePredicted) {
  const LeftOut& l = known().left_out;
  EXPECT_LE(l.median, 0.08);
  EXPECT_LE(l.worst, 0.20);
  EXPECT_LE(l.median_of_pairs, 0.05);
  EXPECT_GE(l.scored, 20);
}

// The intervals that every prediction carries are those errors, and not smaller ones.
TEST(LeftOut, TheMachinesSpreadIsWhatWasSeen) {
  const LeftOut& l = known().left_out;
  EXPECT_NEAR(a2a3().spread.program, l.program_spread, 0.01);
  EXPECT_NEAR(a2a3().spread.kernel, l.kernel_spread, 0.01);
  EXPECT_NEAR(a2a3().spread.ratio, l.ratio_spread, 0.01);
  EXPECT_GE(l.inside, 0.60);
  EXPECT_LE(l.inside, 0.95);
}

TEST(LeftOut, ARowThatAloneDecidesANumberIsNotScored) {
  for (const Decided& d : decided_by(known().sensitivities)) {
    const double all = std::accumulate(d.rows.begin(), d.rows.end(), 0.0,
                                       [](double sum, const auto& r) { return sum + r.second; });
    EXPECT_NEAR(all, 1, 1e-9) << d.path << " is decided by no row";
    if (d.alone == 0) continue;
    for (const LeftOutRow& r : known().left_out.rows)
      if (r.row.row == d.alone) {
        EXPECT_FALSE(r.scored()) << r.row.what << " decides " << d.path;
      }
  }
}

// One number, and how much rows of two threads say about it.
Decided decided_with(double first, double second, double of_other_thread) {
  const auto row = [](int number, const char* thread) {
    CalibrationRow r;
    r.row = number;
    r.thread = thread;
    r.limit = 1;
    return r;
  };
  Sensitivities s{{{}}, {row(1, "a"), row(2, "a"), row(3, "b")}, {}};
  s.by_number = {{std::sqrt(first), std::sqrt(second), std::sqrt(of_other_thread)}};
  return decided_by(s).front();
}

TEST(Decided, AThreadThatHoldsNearlyAllFreesItsFirstRow) {
  EXPECT_EQ(decided_with(0.3, 0.6, 0.1).alone, 2);
  EXPECT_EQ(decided_with(0.3, 0.6, 0.1).thread, "a");
  EXPECT_EQ(decided_with(0.9, 0.02, 0.08).alone, 1);
  EXPECT_EQ(decided_with(0.9, 0.02, 0.08).thread, "") << "the row holds it by itself";
  EXPECT_EQ(decided_with(0.04, 0.04, 0.92).alone, 3);
  EXPECT_EQ(decided_with(0.4, 0.4, 0.2).alone, 0);
}

// A number that only other threads decide is found again without this one.
TEST(Fit, IsAFunctionOfItsInputAndImproves) {
  const Sensitivities& s = known().sensitivities;
  const Fit a = fit_step(calibration(), a2a3(), s, "pypto-lib#94");
  const Fit b = fit_step(calibration(), a2a3(), s, "pypto-lib#94");
  ASSERT_EQ(a.numbers.size(), s.numbers.size());
  for (std::size_t i = 0; i < a.numbers.size(); ++i) EXPECT_EQ(a.numbers[i].is, b.numbers[i].is);
  EXPECT_EQ(a.misfit, b.misfit);

  // From a machine that is wrong in one number, the measurements lead back.
  const auto wrong = platform::with_numbers(a2a3(), {{"timing.memory.hbm_gb_per_s", 800.0}});
  const Fit found = fit(calibration(), wrong, 2);
  for (const FittedNumber& n : found.numbers)
    if (n.path == "timing.memory.hbm_gb_per_s") {
      EXPECT_EQ(n.was, 800);
      EXPECT_NEAR(n.is, 1100, 150);
    }
}

TEST(Scatter, HasAPointForEveryScoredRow) {
  const std::string svg = scatter_svg(known().left_out, a2a3());
  int64_t points = 0;
  for (std::size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1))
    ++points;
  EXPECT_EQ(points, known().left_out.scored);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace tilewright::published
