// `profile`: a prediction, or a run on this CPU, as a page to look at, and in a few lines what it
// says.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <chrono>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/next_commands.h"
#include "tilewright/cli/page_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/improve/advice_page.h"
#include "tilewright/results/json.h"
#include "tilewright/results/page_data.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"

namespace tilewright::cli {
namespace {

// The page is there to be looked at soon; `advise` takes the time it needs.
constexpr std::chrono::duration<double> kAdviceTime{3};

std::string what_ifs_text(const report::Object& binding, double total_us) {
  std::string out;
  for (const std::string& line : wrapped(binding.at("sentence").get<std::string>(), kWidth))
    out += line + "\n";
  Table table({"left out", "predicted us", "saved"});
  for (const auto& w : binding.at("what_ifs")) {
    const double us = w.at("total_us");
    table.row({w.at("name"), fmt::format("{:.2f}", us),
               fmt::format("{:.1f}%", 100 * (1 - us / total_us))});
  }
  return out + table.text("  ", kWidth);
}

std::string summary(const report::Object& data, const report::Profile& profile) {
  const report::Figures& all = profile.all;
  if (data.at("measured").get<bool>())
    return fmt::format("measured {:.2f} us, {}\n", all.total_us, counted(all.tasks, "task"));
  return fmt::format(
             "predicted {:.2f} us, 80 % interval {}, {}\n"
             "{:.1f}% of the roofline at {:.0f} GB/s, {:.1f}% at the specified {:.0f} GB/s\n",
             all.total_us, report::interval_text(*profile.likely_us), counted(all.tasks, "task"),
             100 * all.roofline_fraction(), profile.hbm_gb_per_s, 100 * all.peak_fraction(),
             profile.hbm_peak_gb_per_s) +
         what_ifs_text(data.at("binding"), all.total_us);
}

report::Object advice_for_page(const catalog::ProgramDef& def, const session::Request& request) {
  const auto start = std::chrono::steady_clock::now();
  const improve::Advice advice = improve::advise(def, request, {.time = kAdviceTime});
  return improve::advice_data(
      advice, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

int run_profile(const Context& c) {
  JsonOutput json(c);
  const catalog::ProgramDef& def = c.program();
  const session::Request request = timing_request(c);
  PageOutput page(c, page_name(def.name, request.simulated() ? "profile" : "cpu-profile"));
  Progress progress(c.err, c.terminal.progress);
  progress.begin(request.simulated() ? "simulate" : "run");
  session::TimedRun r =
      session::timed_run(def, request, {.keep_slices = true, .progress = [&](double fraction) {
                                          progress.update(fraction);
                                        }});
  if (!r.passed()) {
    progress.end();
    print_diagnostics(c, c.err, r.session->diagnostics());
    json.write(results::to_json(r));
    return kFailed;
  }
  session::add_doubt(r);
  report::Object data = results::profile_data(r);
  data["commands"] = next_commands(c, def.name);
  if (request.simulated() && !c.args.has("--no-advice")) {
    progress.begin("advise");
    data["advice"] = advice_for_page(def, request);
  }
  page.write(report::profile_page(data));
  progress.end();
  c.words() << fmt::format("{} on {} ({})\n", c.heading(def.name, r.session->shape()),
                           request.platform_name, request.machine().title)
            << summary(data, *r.profile) << fmt::format("page: {}\n", page.path());
  if (request.simulated()) print_diagnostics(c, c.words(), session::caveats(*r.session));
  json.write(results::to_json(r, data.at("binding"), page.path()));
  return kFine;
}

constexpr Flag kNoAdvice{"", "--no-advice", "", "omits the section on advice from the report"};
constexpr Flag kOutput{"-o", "--output", "FILE",
                       "report file (default named after the program)"};

}  // namespace

const Command& profile_command() {
  static const Command kCommand{
      .name = "profile",
      .operand = "PROGRAM",
      .summary = "writes an HTML report of a prediction, or of a run on cpu",
      .flags = {kMachineOrCpu, kOutput, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kRules,
                kOverride, kIdeal, kUnprofiled, kExtern, kNoAdvice, kJson, kHelp},
      .examples = {"profile qwen3/scope3 -o report.html", "profile tour -p a5sim --set n_tile=128",
                   "profile qwen3/decode -p cpu"},
      .run = run_profile,
  };
  return kCommand;
}

}  // namespace tilewright::cli
