#include "tilewright/published/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/all_cores.h"
#include "tilewright/session/predict.h"

namespace tilewright::published {
namespace {

// The mean over the records of all tasks.
double per_record(const report::Profile& p, const platform::Platform& machine,
                  double report::Figures::*time) {
  double sum = 0, records = 0;
  for (const report::Stage& s : p.stages) {
    const double of_task = s.core == ir::CoreKind::Mixed ? 1 + machine.vectors_per_cluster : 1;
    records += of_task * static_cast<double>(s.tasks);
    sum += of_task * static_cast<double>(s.tasks) * (s.*time);
  }
  return sum / records;
}

double value_of(const report::Profile& p, const Measurement& m,
                const platform::Platform& machine) {
  const report::Figures* f = &p.all;
  for (const report::Stage& s : p.stages)
    if (s.name == m.kernel) f = &s;
  switch (m.quantity) {
    case Quantity::Tasks: return static_cast<double>(f->tasks);
    case Quantity::Total: return f->total_us;
    case Quantity::Latency: return f->latency_us;
    case Quantity::Exec: return f->exec_us;
    case Quantity::Head: return f->head_us;
    case Quantity::ExecPerStep: return 1000 * f->exec_us / static_cast<double>(m.steps);
    case Quantity::RecordExec: return per_record(p, machine, &report::Figures::exec_us);
    case Quantity::RecordLatency: return per_record(p, machine, &report::Figures::latency_us);
  }
  return 0;
}

}  // namespace

bool passed(const std::vector<CalibrationRow>& rows) {
  return std::ranges::all_of(rows, [](const CalibrationRow& r) { return r.near || r.known_gap; });
}

Calibration::Calibration(const session::Request& request) : cases_(measured_cases()) {
  for (const MeasuredCase& c : cases_) {
    session::Request of_case = request;
    of_case.set = c.set;
    of_case.rules = c.rules;
    of_case.shape = c.shape;
    sessions_.push_back(std::make_unique<session::Session>(c.program, of_case));
    if (sessions_.back()->prepare()) continue;
    const std::string& machine = request.machine().name;
    user_error("calibration", fmt::format("row {} does not compile for {}", c.row, machine),
               fmt::format("in program {}", c.program.name),
               "the measured programs must compile for the platform",
               sessions_.back()->diagnostics().text());
  }
}

std::vector<CalibrationRow> Calibration::rows_of(std::size_t i,
                                                 const platform::Platform& machine) const {
  const MeasuredCase& c = cases_[i];
  session::Session& s = *sessions_[i];
  const ir::RunRecord record = session::simulate(s, machine);
  const report::Profile profile = report::profile(*s.plan(), *s.graph(), record, machine);
  std::vector<CalibrationRow> out;
  for (const Measurement& m : c.measurements) {
    const double predicted = value_of(profile, m, machine);
    const bool near = std::abs(predicted / m.value - 1) <= m.limit + 1e-12;
    out.push_back({c.row, c.thread, c.what, quantity_name(m.quantity), predicted, m.value, m.limit,
                   !m.kernel.empty(), near, c.known_gap && !near, c.before});
  }
  return out;
}

std::vector<CalibrationRow> Calibration::rows(const platform::Platform& machine) const {
  std::vector<std::vector<CalibrationRow>> of_case(cases_.size());
  for_each_index(cases_.size(), [&](std::size_t i) { of_case[i] = rows_of(i, machine); });
  std::vector<CalibrationRow> out;
  for (const auto& rows : of_case) out.insert(out.end(), rows.begin(), rows.end());
  return out;
}

}  // namespace tilewright::published
