// `show`: a program as text, or its plan after a pass.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/harness/check.h"
#include "tilewright/harness/request.h"
#include "tilewright/ir/print.h"

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
  user_error("pass",
             fmt::format("unknown pass {}{}", tilewright::quoted(pass), did_you_mean(pass, names)),
             fmt::format("in --after {}", pass), "a pass is chosen by its name",
             fmt::format("in order: {}", join(names, ", ")));
}

int print_errors(const Context& c, const Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return kFine;
  print_diagnostics(c, c.err, diagnostics);
  return kFailed;
}

int show_program(const Context& c, const ir::Program& program) {
  c.out << ir::print(program);
  return print_errors(c, program.diagnostics);
}

int show_tasks(const Context& c, const harness::Request& request) {
  harness::CheckRequest check;
  static_cast<harness::Request&>(check) = request;
  const harness::CheckResult result = harness::check(c.program(), check);
  if (result.graph) c.out << ir::print(*result.plan, *result.graph);
  return result.graph ? kFine : print_errors(c, result.diagnostics);
}

int show_plan(const Context& c, const ir::Program& program, const harness::Request& request,
              const std::string& pass) {
  std::string text;
  compile::Options options;
  options.budget = harness::budget_of(c.program(), request);
  options.observe = [&](std::string_view name, const ir::Plan& plan) {
    if (name == pass) text = name == kLower ? ir::print_lowered(plan) : ir::print(plan);
  };
  Diagnostics diagnostics;
  compile::compile(program, request.platform.platform, options, diagnostics);
  c.out << text;  // also when a later pass found errors: that is what one looks for
  return print_errors(c, diagnostics);
}

}  // namespace

int show_command(const Context& c) {
  const catalog::ProgramDef& def = c.program();
  const std::string pass = c.args.text("--after");
  if (c.args.has("--after")) require_pass(pass);
  harness::Request request = c.request();
  request.budget = c.args.budget();
  const ir::Program program = harness::build(def, harness::configure(def, request));
  if (!c.args.has("--after")) return show_program(c, program);
  return pass == kUnroll ? show_tasks(c, request) : show_plan(c, program, request, pass);
}

}  // namespace tilewright::cli
