// `calibrate`: the programs of the calibration table, predicted and measured side by side, and the
// search for the numbers of the platform that are fitted to them.
#include <fmt/format.h>

#include <cmath>

#include "tilewright/base/text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/measured.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/json.h"

namespace tilewright::cli {
namespace {

using platform::Platform;

double value_of(const report::Profile& p, const Measurement& m) {
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
  }
  return 0;
}

// The measured programs, compiled once: a variation of the machine's times leaves them as they are.
class Bench {
 public:
  explicit Bench(const Platform& machine) : cases_(measured_cases()) {
    request_.platform = {machine, true};
    request_.platform_name = machine.name;
    for (const Case& c : cases_) {
      harness::SimRequest request = request_;
      request.set = c.set;
      prepared_.push_back(harness::prepare(c.program, request));
      if (prepared_.back()->ready()) continue;
      user_error("calibration", fmt::format("row {} does not compile for {}", c.row, machine.name),
                 fmt::format("in program {}", c.program.name),
                 "the measured programs fit the machine they were measured on",
                 prepared_.back()->diagnostics.text());
    }
  }

  std::vector<harness::CalibrationRow> rows(const Platform& machine) const {
    std::vector<harness::CalibrationRow> out;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& c = cases_[i];
      Platform of_its_date = machine;
      if (c.slots > 0) of_its_date.runtime->slots_per_core = c.slots;
      const harness::Prepared& p = *prepared_[i];
      const ir::RunRecord record = harness::simulate(p, of_its_date, request_);
      const report::Profile profile = report::profile(*p.plan, *p.graph, record, of_its_date);
      for (const Measurement& m : c.measurements) {
        const double predicted = value_of(profile, m);
        const bool near = std::abs(predicted / m.value - 1) <= m.limit + 1e-12;
        out.push_back({c.row, c.what, quantity_name(m.quantity), predicted, m.value, m.limit, near});
      }
    }
    return out;
  }

 private:
  std::vector<Case> cases_;
  harness::SimRequest request_;
  std::vector<std::unique_ptr<harness::Prepared>> prepared_;
};

void print_rows(const Context& c, const Platform& machine, const std::vector<harness::CalibrationRow>& rows) {
  Table table({"row", "program", "quantity", "predicted", "measured", "ratio", "limit", ""});
  bool fine = true;
  for (const harness::CalibrationRow& r : rows) {
    fine = fine && r.near;
    table.row({std::to_string(r.row), r.what, r.quantity, fmt::format("{:.2f}", r.predicted),
               fmt::format("{:.2f}", r.measured), fmt::format("{:.3f}", r.predicted / r.measured),
               r.limit == 0 ? "exact" : fmt::format("{:.0f}%", 100 * r.limit), r.near ? "" : "too far"});
  }
  c.words() << fmt::format("measured programs on {} ({})\n", machine.name, machine.title)
            << table.text("", 120)
            << (fine ? c.paint(Colour::Green, "PASS") : c.paint(Colour::Red, "FAIL")) << "\n";
}

// ---- fitting -----------------------------------------------------------------------------------

// Distances in units of what is allowed, and a pull towards where the search began: numbers that the
// measurements do not decide stay where their first sources put them.
double misfit(const std::vector<harness::CalibrationRow>& rows, const std::vector<double>& moved) {
  double sum = 0;
  for (const harness::CalibrationRow& r : rows)
    if (r.limit > 0) sum += std::pow(std::log(r.predicted / r.measured) / r.limit, 2);
  constexpr double kPull = 0.05;
  for (double factor : moved) sum += kPull * std::pow(std::log(factor) / std::log(2.0), 2);
  return sum;
}

// One number after the other, in steps that shrink.
Platform fit(const Context& c, const Bench& bench, Platform machine, uint64_t rounds) {
  std::vector<platform::Fact> free;
  for (const platform::Fact& f : machine.facts)
    if (f.standing == platform::Standing::Fitted) free.push_back(f);
  std::vector<double> moved(free.size(), 1.0);
  const auto with = [&](std::size_t i, double factor) {
    return platform::overridden(machine, fmt::format("{}={}", free[i].path, free[i].value * factor));
  };
  double best = misfit(bench.rows(machine), moved);
  Progress progress(c.err, c.terminal.progress);
  progress.begin("fit");
  double step = 1.2;
  for (uint64_t round = 0; round < rounds; ++round) {
    bool better = false;
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (double by : {step, 1 / step}) {
        const double before = moved[i];
        const Platform candidate = with(i, before * by);
        moved[i] = before * by;
        const double found = misfit(bench.rows(candidate), moved);
        if (found < best) {
          best = found;
          machine = candidate;
          better = true;
          break;
        }
        moved[i] = before;
      }
      progress.update((static_cast<double>(round) + static_cast<double>(i) / static_cast<double>(free.size())) /
                      static_cast<double>(rounds));
    }
    if (!better) step = std::sqrt(step);
  }
  progress.end();
  Table table({"fitted number", "was", "is"});
  for (std::size_t i = 0; i < free.size(); ++i)
    table.row({free[i].path, fmt::format("{:g}", free[i].value), fmt::format("{:.4g}", free[i].value * moved[i])});
  c.words() << fmt::format("misfit {:.3f}\n{}\n", best, table.text("", 120));
  return machine;
}

}  // namespace

int calibrate_command(const Context& c) {
  JsonOutput json(c);
  Platform machine = sim_request(c).platform.platform;
  const Bench bench(machine);
  if (const auto rounds = c.args.number("--fit")) machine = fit(c, bench, machine, *rounds);
  const std::vector<harness::CalibrationRow> rows = bench.rows(machine);
  print_rows(c, machine, rows);
  json.write(harness::to_json(rows));
  bool fine = true;
  for (const harness::CalibrationRow& r : rows) fine = fine && r.near;
  return fine ? kFine : kFailed;
}

}  // namespace tilewright::cli
