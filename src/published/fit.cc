#include "tilewright/published/fit.h"

#include <fmt/format.h>

#include <cmath>

namespace tilewright::published {
namespace {

// Distances in units of what is allowed, and a pull towards where the search began: numbers that
// the measurements do not decide stay where their first sources put them.
double misfit(const std::vector<CalibrationRow>& rows, const std::vector<double>& moved) {
  double sum = 0;
  for (const CalibrationRow& r : rows)
    if (r.limit > 0 && !r.known_gap) sum += std::pow(std::log(r.predicted / r.measured) / r.limit, 2);
  constexpr double kPull = 0.05;
  for (double factor : moved) sum += kPull * std::pow(std::log(factor) / std::log(2.0), 2);
  return sum;
}

}  // namespace

Fit fit(const Calibration& calibration, platform::Platform machine, uint64_t rounds,
        const std::function<void(double fraction)>& progress) {
  std::vector<platform::Fact> free;
  for (const platform::Fact& f : machine.facts)
    if (f.standing == platform::Standing::Fitted) free.push_back(f);
  std::vector<double> moved(free.size(), 1.0);
  const auto with = [&](std::size_t i, double factor) {
    return platform::overridden(machine,
                                fmt::format("{}={}", free[i].path, free[i].value * factor));
  };
  double best = misfit(calibration.rows(machine), moved);
  double step = 1.2;
  for (uint64_t round = 0; round < rounds; ++round) {
    bool better = false;
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (double by : {step, 1 / step}) {
        const double before = moved[i];
        const platform::Platform candidate = with(i, before * by);
        moved[i] = before * by;
        const double found = misfit(calibration.rows(candidate), moved);
        if (found < best) {
          best = found;
          machine = candidate;
          better = true;
          break;
        }
        moved[i] = before;
      }
      const double in_round = static_cast<double>(i) / static_cast<double>(free.size());
      if (progress) progress((static_cast<double>(round) + in_round) / static_cast<double>(rounds));
    }
    if (!better) step = std::sqrt(step);
  }
  Fit out{std::move(machine), best, {}};
  for (std::size_t i = 0; i < free.size(); ++i)
    out.numbers.push_back({free[i].path, free[i].value, free[i].value * moved[i]});
  return out;
}

}  // namespace tilewright::published
