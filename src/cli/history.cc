// `history`: the way from the first scope 3 to the best layer, step by step, as predictions.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/published/history.h"

namespace tilewright::cli {
namespace {

constexpr std::size_t kRowWidth = 132;  // the changes are sentences

int run_history(const Context& c) {
  session::Request request = prediction_request(c);
  if (request.shape.empty()) request.shape = published::kHistoryShape;
  Progress progress(c.err, c.terminal.progress);
  progress.begin("predict");
  const auto steps =
      published::history(c.catalog, request, [&](double fraction) { progress.update(fraction); });
  progress.end();
  Table table({"tasks", "predicted us", "80 % interval", "roofline", "binds", "program",
               "what changed"});
  for (const published::HistoryStep& step : steps) {
    if (const auto& f = step.figures)
      table.row({std::to_string(f->tasks), fmt::format("{:.1f}", f->total_us),
                 report::interval_text(step.likely_us),
                 fmt::format("{:.1f}%", 100 * f->roofline_fraction()), step.binds, step.program,
                 step.change});
    else
      table.row({"-", "-", "-", "-", "", step.program, "does not fit this machine"});
  }
  c.words() << fmt::format(
                   "predicted on {0} ({1}), shape {2}, full context\n"
                   "roofline at the HBM rate that programs reach, {3:.0f} GB/s\n",
                   request.platform_name, request.machine().title, request.shape,
                   request.machine().timing->memory.hbm_gb_per_s)
            << table.text("", kRowWidth);
  return kFine;
}

}  // namespace

const Command& history_command() {
  static const Command kCommand{
      .name = "history",
      .operand = "",
      .summary = "predicts the steps from published scope 3 to the best layer",
      .flags = {kMachine, kShape, kRules, kOverride, kHelp},
      .examples = {"history", "history --shape qwen3-32b", "history -p a5sim"},
      .run = run_history,
  };
  return kCommand;
}

}  // namespace tilewright::cli
