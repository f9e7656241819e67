// `calibrate`: the programs of the calibration table, predicted and measured side by side, and the
// search for the numbers of the platform that are fitted to them.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/published/left_out.h"

namespace tilewright::cli {
namespace {

using published::CalibrationRow;

constexpr std::size_t kRowWidth = 120;  // names of programs are long

void print_rows(const Context& c, const platform::Platform& machine,
                const std::vector<CalibrationRow>& rows) {
  Table table({"row", "program", "quantity", "predicted", "measured", "ratio", "limit", ""});
  for (const CalibrationRow& r : rows)
    table.row({std::to_string(r.row), r.what, r.quantity, fmt::format("{:.2f}", r.predicted),
               fmt::format("{:.2f}", r.measured), fmt::format("{:.3f}", r.predicted / r.measured),
               r.limit == 0 ? "exact" : fmt::format("{:.0f}%", 100 * r.limit),
               r.near ? "" : (r.known_gap ? "known gap" : "too far")});
  c.words() << fmt::format("measured programs on {} ({})\n", machine.name, machine.title)
            << table.text("", kRowWidth)
            << (published::passed(rows) ? c.paint(Colour::Green, "PASS")
                                        : c.paint(Colour::Red, "FAIL"))
            << "\n";
}

platform::Platform fitted(const Context& c, const published::Calibration& calibration,
                          const platform::Platform& machine, uint64_t rounds) {
  Progress progress(c.err, c.terminal.progress);
  progress.begin("fit");
  published::Fit f = published::fit(calibration, machine, rounds,
                                    [&](double fraction) { progress.update(fraction); });
  progress.end();
  Table table({"fitted number", "was", "is"});
  for (const published::FittedNumber& n : f.numbers)
    table.row({n.path, fmt::format("{:g}", n.was), fmt::format("{:.4g}", n.is)});
  c.words() << fmt::format("misfit {:.3f}\n{}\n", f.misfit, table.text("", kRowWidth));
  return std::move(f.machine);
}

int run_calibrate(const Context& c) {
  JsonOutput json(c);
  const session::Request request = prediction_request(c);
  platform::Platform machine = request.machine();
  const published::Calibration calibration(request);
  if (const auto rounds = c.args.number("--fit"))
    machine = fitted(c, calibration, machine, *rounds);
  const std::vector<CalibrationRow> rows = calibration.rows(machine);
  print_rows(c, machine, rows);
  if (!std::getenv("LOO")) return 0;
  const auto sens = published::sensitivities(calibration, machine, published::fitted_numbers(request.machine()));
  for (auto& d : published::decided_by(sens)) {
    c.words() << d.path << (d.alone ? " ALONE" : "") << ":";
    for (auto& [r, w] : d.rows) if (w > 0.05) c.words() << fmt::format(" {} {:.0f}%", r, 100 * w);
    c.words() << "\n";
  }
  const auto lo = published::leave_threads_out(calibration, machine, sens);
  for (auto& r : lo.rows) c.words() << fmt::format("{:>3} {:<14} {:<32} {:<16} {:>9.2f} {:>9.2f} {:.3f} {}\n", r.row.row, r.row.thread, r.row.what, r.row.quantity, r.row.predicted, r.row.measured, r.row.predicted / r.row.measured, r.decides);
  for (auto& p : lo.pairs) c.words() << fmt::format("{:<32} {:<16} {:.3f} {:.3f} {:.3f}\n", p.what, p.quantity, p.measured, p.predicted, p.error());
  c.words() << fmt::format("median {:.3f} worst {:.3f} pairs {:.3f}; spreads {:.3f} {:.3f} {:.3f}\n", lo.median, lo.worst, lo.median_of_pairs, lo.program_spread, lo.kernel_spread, lo.ratio_spread);
  json.write(published::to_json(rows));
  return published::passed(rows) ? kFine : kFailed;
}

constexpr Flag kFit{"", "--fit", "ROUNDS", "first searches the fitted numbers of the platform"};

}  // namespace

const Command& calibrate_command() {
  static const Command kCommand{
      .name = "calibrate",
      .operand = "",
      .summary = "predictions beside published measurements",
      .flags = {kMachine, kOverride, kIdeal, kFit, kJson, kHelp},
      .examples = {"calibrate", "calibrate --fit 20"},
      .run = run_calibrate,
  };
  return kCommand;
}

}  // namespace tilewright::cli
