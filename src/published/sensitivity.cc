#include "tilewright/published/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::published {
namespace {

constexpr double kStep = 0.1;    // of the logarithm of a number
constexpr double kAlone = 0.85;  // of what is known about a number

std::vector<platform::Fact> fitted_numbers(const platform::Platform& machine) {
  std::vector<platform::Fact> out;
  for (const platform::Fact& f : machine.facts)
    if (f.standing == platform::Standing::Fitted) out.push_back(f);
  return out;
}

}  // namespace

Sensitivities sensitivities(const Calibration& calibration, const platform::Platform& machine,
                            const Progress& progress) {
  Sensitivities out{fitted_numbers(machine), calibration.rows(machine), {}};
  for (std::size_t i = 0; i < out.numbers.size(); ++i) {
    std::vector<double> moved(out.numbers.size());
    const auto at = [&](double by) {
      moved[i] = by;
      return calibration.rows(platform::moved(machine, out.numbers, moved));
    };
    const auto above = at(kStep), below = at(-kStep);
    auto& slopes = out.by_number.emplace_back();
    for (std::size_t r = 0; r < out.rows.size(); ++r)
      slopes.push_back(std::log(above[r].predicted / below[r].predicted) / (2 * kStep));
    if (progress)
      progress(static_cast<double>(i + 1) / static_cast<double>(out.numbers.size()));
  }
  return out;
}

std::vector<Decided> decided_by(const Sensitivities& s) {
  std::vector<Decided> out;
  for (std::size_t i = 0; i < s.numbers.size(); ++i) {
    std::map<int, double> known;
    std::map<std::string, double> of_thread;
    std::map<int, std::string> thread;
    double sum = 0;
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
      if (!s.rows[r].scored()) continue;
      const double says = std::pow(s.by_number[i][r] / s.rows[r].limit, 2);
      known[s.rows[r].row] += says;
      of_thread[s.rows[r].thread] += says;
      thread[s.rows[r].row] = s.rows[r].thread;
      sum += says;
    }
    Decided& d = out.emplace_back();
    d.path = s.numbers[i].path;
    for (const auto& [row, says] : known)
      if (says > 0) d.rows.emplace_back(row, says / sum);
    std::ranges::stable_sort(d.rows, std::greater<>(), [](const auto& r) { return r.second; });
    for (const auto& [row, share] : d.rows) {  // the first of the thread holds most of it
      if (of_thread[thread[row]] < kAlone * sum) continue;
      d.alone = row;
      d.thread = share >= kAlone ? "" : thread[row];
      break;
    }
  }
  return out;
}

}  // namespace tilewright::published
