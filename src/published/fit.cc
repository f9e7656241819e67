#include "tilewright/published/fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tilewright/base/linear.h"

namespace tilewright::published {
namespace {

// A pull towards where the search began: numbers that the measurements do not decide stay where
// their first sources put them. A factor of two costs as much as one row a fifth of its limit away.
constexpr double kPull = 0.05 / (0.6931 * 0.6931);
constexpr double kFarthest = 0.4;  // of one step, in the logarithm of a number

// In units of what is allowed.
double distance(const CalibrationRow& r) { return std::log(r.predicted / r.measured) / r.limit; }

double misfit(const std::vector<CalibrationRow>& rows, const std::vector<double>& moved,
              const std::string& left_out) {
  double sum = 0;
  for (const CalibrationRow& r : rows)
    if (r.scored() && r.thread != left_out) sum += std::pow(distance(r), 2);
  for (const double by : moved) sum += kPull * by * by;
  return sum;
}

std::vector<double> gauss_newton(const Sensitivities& s, double damping,
                                 const std::string& left_out) {
  const std::size_t n = s.numbers.size();
  std::vector<std::vector<double>> normal(n, std::vector<double>(n));
  std::vector<double> toward(n);
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    const CalibrationRow& row = s.rows[r];
    if (!row.scored() || row.thread == left_out) continue;
    for (std::size_t i = 0; i < n; ++i) {
      toward[i] -= s.by_number[i][r] / row.limit * distance(row);
      for (std::size_t j = 0; j < n; ++j)
        normal[i][j] += s.by_number[i][r] * s.by_number[j][r] / (row.limit * row.limit);
    }
  }
  for (std::size_t i = 0; i < n; ++i) normal[i][i] += kPull + damping;
  std::vector<double> step = solved(std::move(normal), std::move(toward));
  for (double& by : step) by = std::clamp(by, -kFarthest, kFarthest);
  return step;
}

}  // namespace

Fit fit_step(const Calibration& calibration, const platform::Platform& machine,
             const Sensitivities& s, const std::string& left_out) {
  std::vector<double> best_move(s.numbers.size());
  Fit best{machine, misfit(s.rows, best_move, left_out), {}};
  constexpr std::array kDampings{0.3, 3.0, 30.0, 300.0};
  for (const double damping : kDampings) {
    const std::vector<double> moved = gauss_newton(s, damping, left_out);
    const platform::Platform candidate = platform::moved(machine, s.numbers, moved);
    const double found = misfit(calibration.rows(candidate), moved, left_out);
    if (found >= best.misfit) continue;
    best = {candidate, found, {}};
    best_move = moved;
  }
  for (std::size_t i = 0; i < s.numbers.size(); ++i)
    best.numbers.push_back(
        {s.numbers[i].path, s.numbers[i].value, s.numbers[i].value * std::exp(best_move[i])});
  return best;
}

Fit fit(const Calibration& calibration, const platform::Platform& machine, uint64_t rounds,
        const Progress& progress) {
  Fit out{machine, 0, {}};
  for (uint64_t round = 0; round < rounds; ++round) {
    const auto in_round = [&](double fraction) {
      if (progress)
        progress((static_cast<double>(round) + fraction) / static_cast<double>(rounds));
    };
    const Sensitivities s = sensitivities(calibration, out.machine, in_round);
    out = fit_step(calibration, out.machine, s, "");
    const auto stays = [](const FittedNumber& n) { return n.was == n.is; };
    if (std::ranges::all_of(out.numbers, stays)) break;
  }
  for (FittedNumber& n : out.numbers) n.was = machine.fact(n.path)->value;
  return out;
}

}  // namespace tilewright::published
