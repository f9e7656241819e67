#include "tilewright/published/left_out.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tilewright/report/interval.h"

namespace tilewright::published {
namespace {

constexpr double kInside = 0.8;  // of the rows lie inside a spread

double far_from(double predicted, double measured) { return std::abs(predicted / measured - 1); }

// Between the values that stand on both sides of the place.
double quantile(std::vector<double> values, double at) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double place = at * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
}

std::vector<LeftOutPair> pairs_of(const std::vector<LeftOutRow>& rows) {
  std::vector<LeftOutPair> out;
  for (const LeftOutRow& after : rows)
    for (const LeftOutRow& before : rows)
      if (before.row.what == after.row.before && before.row.quantity == after.row.quantity)
        out.push_back({after.row.what, before.row.what, after.row.quantity,
                       after.row.of_kernel, before.row.measured / after.row.measured,
                       before.row.predicted / after.row.predicted});
  return out;
}

}  // namespace

double LeftOutRow::error() const { return far_from(row.predicted, row.measured); }
double LeftOutPair::error() const { return far_from(predicted, measured); }

LeftOut leave_threads_out(const Calibration& calibration, const platform::Platform& machine,
                          const Sensitivities& sensitivities, const Progress& progress) {
  std::map<std::string, std::vector<CalibrationRow>> without;  // thread -> all rows, fitted without it
  for (const CalibrationRow& r : sensitivities.rows) without[r.thread];
  double done = 0;
  for (auto& [thread, rows] : without) {
    rows = calibration.rows(fit_step(calibration, machine, sensitivities, thread).machine);
    done += 1;
    if (progress) progress(done / static_cast<double>(without.size()));
  }

  LeftOut out;
  const std::vector<Decided> decided = decided_by(sensitivities);
  for (std::size_t i = 0; i < sensitivities.rows.size(); ++i) {
    const CalibrationRow& r = without.at(sensitivities.rows[i].thread)[i];
    if (!r.scored()) continue;
    LeftOutRow& row = out.rows.emplace_back();
    row.row = r;
    for (const Decided& d : decided)
      if (d.alone == r.row) row.decides = d.path;
  }
  out.pairs = pairs_of(out.rows);

  std::vector<double> errors, programs, kernels, improvements, of_programs;
  int64_t inside = 0;
  for (const LeftOutRow& r : out.rows) {
    if (!r.scored()) continue;
    ++out.scored;
    errors.push_back(r.error());
    (r.row.of_kernel ? kernels : programs).push_back(r.error());
    const double spread = r.row.of_kernel ? machine.spread.kernel : machine.spread.program;
    inside += report::interval_around(r.row.predicted, spread, spread).contains(r.row.measured);
  }
  for (const LeftOutPair& p : out.pairs) {
    improvements.push_back(p.error());
    if (!p.of_kernel) of_programs.push_back(p.error());
  }
  out.median = quantile(errors, 0.5);
  out.worst = quantile(errors, 1);
  out.median_of_pairs = quantile(improvements, 0.5);
  out.program_spread = quantile(programs, kInside);
  out.kernel_spread = quantile(kernels, kInside);
  out.ratio_spread = quantile(of_programs, kInside);
  out.inside = out.scored > 0 ? static_cast<double>(inside) / static_cast<double>(out.scored) : 0;
  return out;
}

}  // namespace tilewright::published
