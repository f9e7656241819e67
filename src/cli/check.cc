// `check`: what a program would be on a platform, and everything that is wrong with it.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/results/check_text.h"
#include "tilewright/results/json.h"
#include "tilewright/session/check.h"

namespace tilewright::cli {
namespace {

Diagnostics errors_first(const Diagnostics& all) {
  Diagnostics out;
  for (const bool errors : {true, false})
    for (const Diagnostic& d : all.list())
      if ((d.severity == Severity::Error) == errors) out.add(d);
  return out;
}

void print_report(const Context& c, const session::CheckResult& r) {
  std::ostream& out = c.words();
  const session::Session& s = *r.session;
  out << fmt::format("{}: shape {} on {} ({})\n{}\n", c.paint(Colour::Bold, s.name()), s.shape(),
                     s.request().platform_name, s.machine().title, keys_text(s.keys()));
  // Errors stand alone: the tables describe a program that is not yet what its author means.
  if (r.passed()) out << results::check_text(r) << (r.diagnostics.empty() ? "" : "\n");
  print_diagnostics(c, out, errors_first(r.diagnostics));
  out << "\n"
      << (r.passed() ? c.paint(Colour::Green, "PASS") : c.paint(Colour::Red, "FAIL")) << " ("
      << counts_text(r.diagnostics) << ")\n";
}

int run_check(const Context& c) {
  JsonOutput json(c);
  const session::CheckResult result = session::check(c.program(), c.request());
  print_report(c, result);
  json.write(results::to_json(result));
  return result.passed() ? kFine : kFailed;
}

}  // namespace

const Command& check_command() {
  static const Command kCommand{
      .name = "check",
      .operand = "PROGRAM",
      .summary = "checks a program for a platform without running it",
      .flags = {kPlatform, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kBudget, kRules, kJson,
                kHelp},
      .examples = {"check tour -p a2a3sim", "check tour --rules april-2026",
                   "check layer.py --arg hidden_size=5120",
                   "check tour --budget vector=2048,cube=16384"},
      .run = run_check,
  };
  return kCommand;
}

}  // namespace tilewright::cli
