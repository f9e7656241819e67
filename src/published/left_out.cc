#include "tilewright/published/left_out.h"

#include <algorithm>
#include <cmath>
#include <map>

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
                       before.row.measured / after.row.measured,
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

  std::vector<double> errors, programs, kernels, ratios;
  for (const LeftOutRow& r : out.rows) {
    if (!r.scored()) continue;
    errors.push_back(r.error());
    (r.row.of_kernel ? kernels : programs).push_back(r.error());
  }
  for (const LeftOutPair& p : out.pairs) ratios.push_back(p.error());
  out.median = quantile(errors, 0.5);
  out.worst = quantile(errors, 1);
  out.median_of_pairs = quantile(ratios, 0.5);
  out.program_spread = quantile(programs, kInside);
  out.kernel_spread = quantile(kernels, kInside);
  out.ratio_spread = quantile(ratios, kInside);
  return out;
}

}  // namespace tilewright::published
