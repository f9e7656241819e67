// `show`: a program as text, or its plan after a pass.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/ir/print.h"
#include "tilewright/results/named_constants.h"
#include "tilewright/session/session.h"

namespace tilewright::cli {
namespace {

constexpr const char* kLower = "lower";    // has a form and a listing of its own
constexpr const char* kUnroll = "unroll";  // not a pass over the plan, but the step after the last

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const compile::PassInfo& p : compile::passes()) names.emplace_back(p.name);
  names.emplace_back(kUnroll);
  return names;
}

void require_pass(const std::string& pass) {
  const auto names = pass_names();
  if (std::ranges::find(names, pass) != names.end()) return;
  user_error("pass", fmt::format("unknown pass {}{}", quote(pass), did_you_mean(pass, names)),
             fmt::format("in --after {}", pass), "a pass is selected by name",
             fmt::format("in order: {}", join(names, ", ")));
}

int print_errors(const Context& c, const Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return kFine;
  print_diagnostics(c, c.err, diagnostics);
  return kFailed;
}

int show_program(const Context& c, const catalog::ProgramDef& def, session::Session& s) {
  s.build();
  if (!s.built()) return print_errors(c, s.diagnostics());
  const bool fine = s.diagnostics().empty() && s.program_diagnostics().empty();
  c.out << (fine ? results::text_with_constants(def, s.config()) : ir::print(s.program()));
  return print_errors(c, s.diagnostics().empty() ? s.program_diagnostics() : s.diagnostics());
}

int show_tasks(const Context& c, session::Session& s) {
  s.prepare();
  if (!s.graph()) return print_errors(c, s.diagnostics());
  c.out << ir::print(*s.plan(), *s.graph());
  return kFine;
}

int show_plan(const Context& c, session::Session& s, const std::string& pass) {
  std::string text;
  if (s.build())
    s.compile([&](std::string_view name, const ir::Plan& plan) {
      if (name == pass) text = name == kLower ? ir::print_lowered(plan) : ir::print(plan);
    });
  c.out << text;  // also when a later pass found errors: that is what one looks for
  return print_errors(c, s.diagnostics());
}

int run_show(const Context& c) {
  const catalog::ProgramDef& def = c.program();
  const std::string pass = c.args.text("--after");
  if (c.args.has("--after")) require_pass(pass);
  session::Session s(def, c.request());
  if (!c.args.has("--after")) return show_program(c, def, s);
  return pass == kUnroll ? show_tasks(c, s) : show_plan(c, s, pass);
}

constexpr Flag kAfter{"", "--after", "PASS", "shows the plan after this pass"};

}  // namespace

const Command& show_command() {
  static const Command kCommand{
      .name = "show",
      .operand = "PROGRAM",
      .summary = "prints a program, or its plan after a pass",
      .flags = {kAfter, kPlatform, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kBudget, kHelp},
      .examples = {"show tour", "show tour --after outline_scopes -p a5sim"},
      .run = run_show,
  };
  return kCommand;
}

}  // namespace tilewright::cli
