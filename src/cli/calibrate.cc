// `calibrate`: the programs of the calibration table, predicted and measured side by side.
#include <fmt/format.h>

#include <cmath>

#include "tilewright/base/text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/measured.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/json.h"

namespace tilewright::cli {
namespace {

double value_of(const harness::SimResult& r, const Measurement& m) {
  const report::Figures* f = &r.profile->all;
  for (const report::Stage& s : r.profile->stages)
    if (s.name == m.kernel) f = &s;
  switch (m.quantity) {
    case Quantity::Tasks: return static_cast<double>(f->tasks);
    case Quantity::Total: return f->total_us;
    case Quantity::Latency: return f->latency_us;
    case Quantity::Exec: return f->exec_us;
    case Quantity::Head: return f->head_us;
    case Quantity::ExecPerStep: return 1000 * f->exec_us / static_cast<double>(m.steps);
  }
  return 0;
}

harness::SimResult predict(const Case& measured, const platform::Platform& machine) {
  harness::SimRequest request;
  request.platform = {machine, true};
  request.platform_name = machine.name;
  request.set = measured.set;
  if (measured.slots > 0) request.platform.platform.runtime->slots_per_core = measured.slots;
  harness::SimResult r = harness::predict(measured.program, request);
  if (!r.passed())
    user_error("calibration", fmt::format("row {} does not compile for {}", measured.row, machine.name),
               fmt::format("in program {}", measured.program.name),
               "the measured programs fit the machine they were measured on", r.diagnostics.text());
  return r;
}

}  // namespace

int calibrate_command(const Context& c) {
  JsonOutput json(c);
  const harness::SimRequest request = sim_request(c);
  const platform::Platform& machine = request.platform.platform;
  Table table({"row", "program", "quantity", "predicted", "measured", "ratio", "limit", ""});
  std::vector<harness::CalibrationRow> rows;
  bool fine = true;
  for (const Case& measured : measured_cases()) {
    const harness::SimResult r = predict(measured, machine);
    for (const Measurement& m : measured.measurements) {
      const double predicted = value_of(r, m);
      const double ratio = predicted / m.value;
      const bool near = std::abs(ratio - 1) <= m.limit + 1e-12;
      fine = fine && near;
      rows.push_back({measured.row, measured.what, quantity_name(m.quantity), predicted, m.value, m.limit, near});
      table.row({std::to_string(measured.row), measured.what, quantity_name(m.quantity),
                 fmt::format("{:.2f}", predicted), fmt::format("{:.2f}", m.value), fmt::format("{:.3f}", ratio),
                 m.limit == 0 ? "exact" : fmt::format("{:.0f}%", 100 * m.limit), near ? "" : "too far"});
    }
  }
  c.words() << fmt::format("measured programs on {} ({})\n", machine.name, machine.title) << table.text("", 120);
  c.words() << (fine ? c.paint(Colour::Green, "PASS") : c.paint(Colour::Red, "FAIL")) << "\n";
  json.write(harness::to_json(rows));
  return fine ? kFine : kFailed;
}

}  // namespace tilewright::cli
