// `measured`: the profile of a run on a device, on its own or beside the prediction of its program.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/text.h"
#include "tilewright/cli/fit_output.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/page_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/device/directory.h"
#include "tilewright/results/json.h"
#include "tilewright/results/measured_text.h"
#include "tilewright/results/page_data.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"

namespace tilewright::cli {
namespace {

using session::DeviceRun;

// The clock tells the two chips apart; older files have no clock.
const char* likely_machine(const device::Profile& p) {
  constexpr double kClockOfA5 = 1e9;
  return p.clock_hz == kClockOfA5 ? "a5sim" : "a2a3sim";
}

DeviceRun device_run(const Context& c, device::Profile profile) {
  const session::Request request = c.request(likely_machine(profile));
  session::require_machine(request);
  if (c.args.second.empty()) return session::device_run(std::move(profile), request.machine());
  Progress progress(c.err, c.terminal.progress);
  progress.begin("simulate");
  DeviceRun run =
      session::device_run(std::move(profile), c.find(c.args.second), request,
                          {.keep_slices = c.args.has("--output"),
                           .progress = [&](double fraction) { progress.update(fraction); }});
  if (run.passed()) session::add_doubt(*run.predicted);
  return run;
}

std::string heading(const Context& c, const DeviceRun& run) {
  const device::Profile& p = run.profile;
  const std::string recorded =
      fmt::format("measured in {}\n  {}\n", p.file, results::recording_text(p));
  if (!run.predicted) return c.paint(Colour::Bold, device::title_of(p)) + "\n" + recorded;
  const session::Session& s = *run.predicted->session;
  return fmt::format("{}\n{}predicted on {} ({})\nrules: {}\n{}", c.heading(s.name(), s.shape()),
                     recorded, s.request().platform_name, run.machine.title,
                     s.chosen_rules().text(), keys_text(s.keys()));
}

int run_measured(const Context& c) {
  if (c.args.operand.empty())
    user_error("program", "measured needs a directory", "",
               "a runtime writes the profile of a run into a directory of its own",
               "name that directory, or the file of records in it");
  JsonOutput json(c);
  std::optional<PageOutput> page;  // only when asked for: the text says the same
  if (c.args.has("--output")) page.emplace(c, "");
  FitOutput fit(c);
  DeviceRun run = device_run(c, device::read_profile(c.args.operand, c.args.text("--names")));
  if (!run.passed()) {
    print_diagnostics(c, c.err, run.predicted->session->diagnostics());
    json.write(results::to_json(run));
    return kFailed;
  }
  c.words() << heading(c, run) << "\n" << results::measured_text(run);
  if (run.predicted) print_diagnostics(c, c.words(), session::caveats(*run.predicted->session));
  std::optional<session::ChipFit> fitted;
  if (fit.wanted()) {
    fitted = fit.write(run);
    c.words() << fit.text(*fitted);
  }
  if (page) {
    page->write(report::profile_page(results::measured_data(run)));
    c.words() << fmt::format("page: {}\n", page->path());
  }
  json.write(
      results::to_json(run, page ? page->path() : "", fitted ? &*fitted : nullptr, fit.path()));
  return kFine;
}

constexpr Flag kDevice{"-p", "--platform", "NAME",
                       "a2a3sim, a5sim or FILE.json (default by its clock)"};
constexpr Flag kPage{"-o", "--output", "FILE", "also writes an HTML report"};
constexpr Flag kFitTo{"", "--fit", "FILE", "writes a platform file fitted to the profile"};
constexpr Flag kNames{"", "--names", "FILE", "names of functions (default the name_map in DIR)"};

}  // namespace

const Command& measured_command() {
  static const Command kCommand{
      .name = "measured",
      .operand = "DIR [PROGRAM]",
      .summary = "shows the profile of a device beside its prediction",
      .flags = {kDevice, kPage, kFitTo, kNames, kShape, kSet, kArg, kPath, kReference, kSeed,
                kRules, kOverride, kUnprofiled, kExtern, kJson, kHelp},
      .examples = {"measured outputs/decode", "measured outputs/decode qwen3/decode",
                   "measured outputs/mine layer.py --rules august-2026 -o page.html"},
      .note = "DIR is what the runtime wrote, or the file of records in it.",
      .run = run_measured,
  };
  return kCommand;
}

}  // namespace tilewright::cli
