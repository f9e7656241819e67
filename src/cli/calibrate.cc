// `calibrate`: the programs of the calibration table, predicted and measured side by side; how well
// the simulator predicts what nobody fitted; and the search for the fitted numbers.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/published/left_out.h"
#include "tilewright/published/scatter.h"

namespace tilewright::cli {
namespace {

using published::CalibrationRow;

constexpr std::size_t kRowWidth = 132;  // names of programs are long

std::string ratio_text(const CalibrationRow& r) {
  return fmt::format("{:.3f}", r.predicted / r.measured);
}

// `left_out` has the rows that are not counts, in the same order.
std::string rows_text(const std::vector<CalibrationRow>& rows, const published::LeftOut& left_out) {
  Table table({"row", "thread", "program", "quantity", "predicted", "measured", "ratio", "limit",
               "without its thread", ""});
  auto other = left_out.rows.begin();
  for (const CalibrationRow& r : rows) {
    const published::LeftOutRow* without = r.scored() ? &*other++ : nullptr;
    std::string note = r.near ? "" : (r.known_gap ? "known gap" : "too far");
    if (without && !without->decides.empty()) note = "not scored";
    table.row({std::to_string(r.row), r.thread, r.what, r.quantity,
               fmt::format("{:.2f}", r.predicted), fmt::format("{:.2f}", r.measured), ratio_text(r),
               r.limit == 0 ? "exact" : fmt::format("{:.0f}%", 100 * r.limit),
               without ? ratio_text(without->row) : "", note});
  }
  return table.text("", kRowWidth);
}

std::string pairs_text(const published::LeftOut& left_out) {
  Table table({"improvement", "quantity", "predicted", "measured", "ratio"});
  for (const published::LeftOutPair& p : left_out.pairs)
    table.row({p.what, p.quantity, fmt::format("{:.3f}", p.predicted),
               fmt::format("{:.3f}", p.measured), fmt::format("{:.3f}", p.predicted / p.measured)});
  return table.text("", kRowWidth);
}

std::string decided_text(const published::Sensitivities& s) {
  constexpr double kWorthNaming = 0.1;
  Table table({"fitted number", "value", "decided by", ""});
  const auto decided = published::decided_by(s);
  for (std::size_t i = 0; i < decided.size(); ++i) {
    std::vector<std::string> rows;
    for (const auto& [row, share] : decided[i].rows)
      if (share >= kWorthNaming) rows.push_back(fmt::format("row {} {:.0f}%", row, 100 * share));
    std::string note = decided[i].alone > 0 ? "alone: not scored" : "";
    if (!decided[i].thread.empty())
      note = fmt::format("{} alone: row {} not scored", decided[i].thread, decided[i].alone);
    table.row({decided[i].path, fmt::format("{:g} {}", s.numbers[i].value, s.numbers[i].unit),
               join(rows, ", "), note});
  }
  return table.text("", kRowWidth);
}

std::string score_text(const published::LeftOut& l) {
  const auto percent = [](double part) { return fmt::format("{:.1f} %", 100 * part); };
  return fmt::format(
      "each thread predicted with numbers fitted to the others: {} scored, median error {}, worst "
      "{}\n"
      "improvements, predicted the same way: median error {}\n"
      "80 % of the predictions are off by less than: programs {}, kernels {}, improvements of "
      "programs {}\n"
      "the machine's own intervals (spread) hold {} of the scored rows\n",
      counted(l.scored, "measurement"), percent(l.median), percent(l.worst),
      percent(l.median_of_pairs), percent(l.program_spread), percent(l.kernel_spread),
      percent(l.ratio_spread), percent(l.inside));
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
  std::optional<AtomicFile> picture;
  if (c.args.has("--svg")) picture.emplace(c.args.text("--svg"));
  const session::Request request = prediction_request(c);
  platform::Platform machine = request.machine();
  const published::Calibration calibration(request);
  if (c.args.number("--fit").value_or(1) == 0) refuse_value("--fit 0", "write for example --fit 5");
  if (const auto rounds = c.args.number("--fit"))
    machine = fitted(c, calibration, machine, *rounds);

  Progress progress(c.err, c.terminal.progress);
  progress.begin("calibrate");
  const published::Sensitivities sensitivities =
      published::sensitivities(calibration, machine,
                               [&](double fraction) { progress.update(fraction / 2); });
  const published::LeftOut left_out = published::leave_threads_out(
      calibration, machine, sensitivities,
      [&](double fraction) { progress.update(0.5 + fraction / 2); });
  progress.end();

  const std::vector<CalibrationRow>& rows = sensitivities.rows;
  const bool passed = published::passed(rows);
  c.words() << fmt::format("measured programs on {} ({})\n", machine.name, machine.title)
            << rows_text(rows, left_out) << "\n"
            << pairs_text(left_out) << "\n"
            << decided_text(sensitivities) << "\n"
            << score_text(left_out)
            << (passed ? c.paint(Colour::Green, "PASS") : c.paint(Colour::Red, "FAIL")) << "\n";
  if (picture) picture->commit(published::scatter_svg(left_out, machine));
  json.write(published::to_json(sensitivities, left_out));
  return passed ? kFine : kFailed;
}

constexpr Flag kSvg{"", "--svg", "FILE", "also plots predicted against measured times"};
constexpr Flag kFit{"", "--fit", "ROUNDS", "first refits the fitted numbers of the platform"};

}  // namespace

const Command& calibrate_command() {
  static const Command kCommand{
      .name = "calibrate",
      .operand = "",
      .summary = "compares predictions with published measurements",
      .flags = {kMachine, kOverride, kIdeal, kFit, kSvg, kJson, kHelp},
      .examples = {"calibrate", "calibrate --fit 5", "calibrate --svg calibration.svg"},
      .run = run_calibrate,
  };
  return kCommand;
}

}  // namespace tilewright::cli
