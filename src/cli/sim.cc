// `sim`: the predicted time of a program, what binds it, and where it could be.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/records_output.h"
#include "tilewright/cli/requests.h"
#include "tilewright/cli/sim_model.h"
#include "tilewright/report/gzip.h"
#include "tilewright/report/trace.h"
#include "tilewright/results/json.h"
#include "tilewright/results/why_text.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/ranks.h"
#include "tilewright/session/stated_cost.h"

namespace tilewright::cli {
namespace {

int run_sim(const Context& c) {
  if (asks_for_model(c)) return sim_model(c);
  for (const char* flag : {"--model", "--batch", "--ctx"})
    if (c.args.has(flag))
      user_error("command-line", fmt::format("{} together with a program", flag), "",
                 "this flag applies to the prediction of a whole model",
                 "set the keys of a program with --set batch=16 --set ctx=4096");
  JsonOutput json(c);
  std::optional<AtomicFile> trace;
  if (c.args.has("--trace")) trace.emplace(c.args.text("--trace"));
  const RecordsOutput records(c);
  const session::Request request = prediction_request(c);
  Progress progress(c.err, c.terminal.progress);
  progress.begin("simulate");
  session::TimedRun r =
      session::predict(c.program(), request,
                       {.keep_slices = trace.has_value(),
                        .keep_phases = records.wanted(),
                        .progress = [&](double fraction) { progress.update(fraction); }});
  session::add_stated_cost(r);
  session::add_doubt(r);
  std::optional<session::Why> why;
  if (r.passed() && c.args.has("--why")) {
    progress.note("why");
    why = session::why(*r.session, [&](double fraction) { progress.update(fraction); });
  }
  progress.end();

  const session::Session& s = *r.session;
  std::ostream& out = c.words();
  out << fmt::format("{}\npredicted on {} ({})\nrules: {}\n{}\n", c.heading(s.name(), s.shape()),
                     request.platform_name, request.machine().title, s.chosen_rules().text(),
                     keys_text(s.keys()));
  if (r.profile) {
    if (!r.rank_us.empty()) out << session::rank_times_text(r.rank_us);
    out << report::text(*r.profile, *s.plan(), *s.graph())
        << fmt::format("simulated in {:.3f} s, {} events\n", r.seconds, r.record->events);
    if (r.stated)
      out << fmt::format("{} that no data need: {:.3f} us without, {:.3f} us with them\n",
                         counted(r.stated->dependences, "stated dependence"), r.stated->without_us,
                         r.profile->all.total_us);
    if (why) out << "\n" << results::why_text(*why);
    print_diagnostics(c, out, session::caveats(s));
  } else {
    print_diagnostics(c, c.err, s.diagnostics());
  }
  if (trace && r.record) {
    const std::string text = report::chrome_trace(*s.plan(), *s.graph(), *r.record);
    trace->commit(c.args.text("--trace").ends_with(".gz") ? report::gzipped(text) : text);
  }
  if (records.wanted() && r.record) out << records.write(r);
  json.write(results::to_json(r, why));
  return r.passed() ? kFine : kFailed;
}

constexpr Flag kSimModel{"-m", "--model", "DIR", "predicts a whole model instead of a program"};
constexpr Flag kSimBatch{"", "--batch", "N", "whole model; sequences per step (default 1)"};
constexpr Flag kSimContext{"", "--ctx", "N", "whole model; context tokens each (default 4096)"};
constexpr Flag kWhy{"", "--why", "", "prints cost contributions and sensitivities"};
constexpr Flag kTrace{"", "--trace", "FILE", "writes a Perfetto timeline; compressed if named .gz"};

}  // namespace

const Command& sim_command() {
  static const Command kCommand{
      .name = "sim",
      .operand = "PROGRAM",
      .summary = "predicts the time of a program on a described device",
      .flags = {kMachine,     kShape,        kSimModel,   kSimBatch, kSimContext, kSet,
                kArg,         kPath,         kReference,  kTiling,   kSeed,       kRules,
                kOverride,    kIdeal,        kUnprofiled, kWhy,      kTrace,      kRecords,
                kRecordsForm, kRecordsLevel, kExtern,     kJson,     kHelp},
      .examples = {"sim qwen3/scope3", "sim qwen3/scope3 --why", "sim qwen3/scope3 --ideal runtime",
                   "sim tour --override timing.gm.l1_latency_ns=400 --trace trace.json",
                   "sim --shape qwen3-8b --batch 16 --ctx 4096",
                   "sim -m out/models/random -p a5sim"},
      .note = "-m DIR, or --shape NAME without PROGRAM, predicts a decode step of a model.",
      .run = run_sim,
  };
  return kCommand;
}

}  // namespace tilewright::cli
