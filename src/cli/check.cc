// `check`: what a program would be on a platform, and everything that is wrong with it.
#include <fmt/format.h>

#include <algorithm>

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

// A race is an error only for rules that the user names (session/check.h).
bool has_lenient_races(const session::CheckResult& r) {
  return std::ranges::any_of(r.diagnostics.list(), [](const Diagnostic& d) {
    return d.code == "hazard" && d.severity == Severity::Warning;
  });
}

// What the verdict does not cover, for whom does not know the defaults.
std::string limits_of_verdict(const Context& c, const session::CheckResult& r) {
  std::string out;
  const session::ChosenRules& rules = r.session->chosen_rules();
  if (has_lenient_races(r))
    for (const std::string& line :
         wrapped(fmt::format("races are warnings because {} chose the rules; --rules {} makes them "
                             "errors",
                             rules.by, rules.rules.name),
                 kWidth))
      out += line + "\n";
  if (r.passed() && !c.args.has("--platform"))
    out += fmt::format("not checked: memory limits{} of a chip; -p a2a3sim checks them\n",
                       c.args.has("--rules") ? "" : " and ordering rules");
  return out;
}

void print_report(const Context& c, const session::CheckResult& r) {
  std::ostream& out = c.words();
  const session::Session& s = *r.session;
  out << fmt::format("{} on {} ({})\n{}\n", c.heading(s.name(), s.shape()),
                     s.request().platform_name, s.machine().title, keys_text(s.keys()));
  // Errors stand alone: the tables describe a program that is not yet what its author means.
  if (r.passed()) out << results::check_text(r) << (r.diagnostics.empty() ? "" : "\n");
  print_diagnostics(c, out, errors_first(r.diagnostics));
  out << "\n"
      << (r.passed() ? c.paint(Colour::Green, "PASS") : c.paint(Colour::Red, "FAIL")) << " ("
      << counts_text(r.diagnostics) << ")\n"
      << limits_of_verdict(c, r);
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
      .flags = {kPlatform, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kBudget, kRules,
                kJson, kHelp},
      .examples = {"check tour -p a2a3sim", "check tour --rules april-2026",
                   "check layer.py --arg hidden_size=5120",
                   "check tour --budget vector=2048,cube=16384"},
      .note =
          "Without -p the program is checked for this CPU, which has no memory limits and\n"
          "orders all tasks.\n"
          "Rules say which conflicting tasks a runtime orders. a2a3sim and a5sim choose\n"
          "april-2026, a runtime that remembers 16 writers of a tensor; since 2026-04-24\n"
          "the runtime remembers all of them (--rules august-2026 is the newest known one).\n"
          "A race is an error with --rules, and a warning when the platform chooses them.",
      .run = run_check,
  };
  return kCommand;
}

}  // namespace tilewright::cli
