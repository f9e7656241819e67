// `show`: a program as text, or its plan after a pass.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/day.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/requests.h"
#include "tilewright/ir/dialect.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/program.h"
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

// The day of --dialect, in whose words the program is written.
ir::Dialect dialect_of(const Context& c) {
  const std::string day = c.args.text("--dialect");
  if (day.empty()) return {};
  if (!is_day(day) || day < ir::Dialect::kFirstDay)
    user_error("dialect", fmt::format("{} is no day of the language", quote(day)),
               fmt::format("in --dialect {}", day),
               fmt::format("a listing is written in the words of a day from {} on",
                           ir::Dialect::kFirstDay),
               "give the day of your compiler, such as --dialect 2026-07-03");
  return ir::Dialect(day);
}

void require_words(const ir::Program& program, const ir::Dialect& dialect) {
  const auto word = ir::foreign_word(program, dialect);
  if (!word) return;
  const bool left = !word->until.empty();
  user_error("dialect", fmt::format("the language had no {} on {}", word->name, dialect.day()),
             fmt::format("at {}", word->place.text()),
             left ? fmt::format("it left the language on {}", word->until)
                  : fmt::format("it came into the language on {}", word->from),
             left ? "write the loop or the transposition out, or give an earlier day"
                  : fmt::format("give {} or a later day", word->from));
}

int show_program(const Context& c, const catalog::ProgramDef& def, session::Session& s) {
  const ir::Dialect dialect = dialect_of(c);
  s.build();
  if (!s.built()) return print_errors(c, s.diagnostics());
  require_words(s.program(), dialect);
  const bool fine = s.diagnostics().empty() && s.program_diagnostics().empty();
  c.out << (fine ? results::text_with_constants(def, s.config(), dialect)
                 : ir::print(s.program(), dialect));
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
  if (c.args.has("--after") && c.args.has("--dialect"))
    user_error("command-line", "--dialect together with --after", "",
               "a plan is for people; only a program is compiled elsewhere", "omit one of them");
  session::Session s(def, timing_request(c));  // the listing is for a machine that runs it
  if (!c.args.has("--after")) return show_program(c, def, s);
  return pass == kUnroll ? show_tasks(c, s) : show_plan(c, s, pass);
}

constexpr Flag kAfter{"", "--after", "PASS", "shows the plan after this pass"};
constexpr Flag kDialect{"", "--dialect", "DAY", "writes the words of a day, e.g. 2026-07-03"};

}  // namespace

const Command& show_command() {
  static const Command kCommand{
      .name = "show",
      .operand = "PROGRAM",
      .summary = "prints a program, or its plan after a pass",
      .flags = {kAfter, kDialect, kMachineOrCpu, kShape, kSet, kArg, kPath, kReference, kTiling,
                kSeed, kBudget, kHelp},
      .examples = {"show tour", "show tour --after outline_scopes -p a5sim"},
      .run = run_show,
  };
  return kCommand;
}

}  // namespace tilewright::cli
