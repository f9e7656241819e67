// `advise`: what costs time in a program and what to change, the largest gain first; with --apply
// the program with every mechanical change.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/improve/advice.h"
#include "tilewright/improve/same_results.h"
#include "tilewright/ir/print.h"

namespace tilewright::cli {
namespace {

using improve::Finding;

void print_finding(const Context& c, std::size_t number, const Finding& f) {
  std::ostream& out = c.words();
  const double share = 100 * f.gain_us() / f.now_us;
  out << fmt::format("{:>2}. {} [{}]\n", number, f.what, c.paint(Colour::Bold, f.code));
  if (!f.where.empty()) out << fmt::format("    {}\n", f.where);
  out << fmt::format("    now {:.2f} us, after {:.2f} us: {:.1f} % less, {}\n", f.now_us,
                     f.after_us, share, f.estimated ? "an estimate" : "predicted");
  out << fmt::format("    change: {}{}\n", f.change, f.rewritten ? " (--apply does it)" : "");
}

int print_advice(const Context& c, const catalog::ProgramDef& def,
                 const session::Request& request) {
  JsonOutput json(c);
  Progress progress(c.err, c.terminal.progress);
  progress.begin("advise");
  const improve::Advice a = improve::advise(def, request);
  progress.end();
  if (!a.profile) {
    print_diagnostics(c, c.err, a.session->diagnostics());
    return kFailed;
  }
  const report::Figures& all = a.profile->all;
  c.words() << fmt::format("{}: shape {} on {}, rules {}\n", c.paint(Colour::Bold, def.name),
                           a.session->shape(), a.session->request().platform_name,
                           a.session->rules().name)
            << fmt::format("predicted {:.2f} us with {}; the roofline is {:.2f} us\n\n",
                           all.total_us, counted(all.tasks, "task"), all.roofline_us);
  for (std::size_t i = 0; i < a.findings.size(); ++i) print_finding(c, i + 1, a.findings[i]);
  c.words() << (a.findings.empty()
                    ? "nothing to advise\n"
                    : fmt::format("\n{}\n",
                                  counted(static_cast<int64_t>(a.findings.size()), "finding")));
  json.write(improve::to_json(a));
  return kFine;
}

int apply(const Context& c, const catalog::ProgramDef& def, const session::Request& request) {
  std::optional<AtomicFile> file;
  if (c.args.has("--output")) file.emplace(c.args.text("--output"));
  std::ostream& words = file ? c.words() : c.err;  // without a file stdout is the program's
  Progress progress(c.err, c.terminal.progress);
  progress.begin("advise");
  const improve::Applied a = improve::apply_advice(def, request);
  if (a.diagnostics.has_errors()) {
    progress.end();
    print_diagnostics(c, c.err, a.diagnostics);
    return kFailed;
  }
  progress.begin("compare with golden");
  const auto outputs = improve::compare_results(def, request, *a.original, *a.program);
  progress.end();
  for (const Finding& f : a.done)
    words << fmt::format("{}: {}\n    {}\n    {:.2f} us -> {:.2f} us\n", f.code, f.change, f.where,
                         f.now_us, f.after_us);
  words << fmt::format("{}: {:.2f} us -> {:.2f} us, predicted\n",
                       counted(static_cast<int64_t>(a.done.size()), "change"), a.before_us,
                       a.after_us);
  bool same = true;
  for (const improve::OutputMatch& o : outputs) {
    same = same && o.comparison.passed();
    words << fmt::format("{}: {} ({}/{} elements as before)\n", o.name,
                         o.comparison.passed() ? c.paint(Colour::Green, "PASS")
                                               : c.paint(Colour::Red, "FAIL"),
                         o.comparison.matched, o.comparison.total);
  }
  if (!same) return kFailed;
  const std::string text = ir::print(*a.program);
  if (file)
    file->commit(text);
  else
    c.out << text;
  return kFine;
}

int run_advise(const Context& c) {
  const catalog::ProgramDef& def = c.program();
  const session::Request request = prediction_request(c);
  return c.args.has("--apply") ? apply(c, def, request) : print_advice(c, def, request);
}

constexpr Flag kApply{"", "--apply", "", "prints the program with every mechanical change"};
constexpr Flag kApplied{"-o", "--output", "FILE", "where --apply writes the program"};

}  // namespace

const Command& advise_command() {
  static const Command kCommand{
      .name = "advise",
      .operand = "PROGRAM",
      .summary = "finds what costs time in a program, and what to change",
      .flags = {kMachine, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kRules, kOverride, kApply,
                kApplied, kExtern, kJson, kHelp},
      .examples = {"advise qwen3/scope3-before --shape tiny",
                   "advise qwen3/scope1 --apply -o faster.py"},
      .run = run_advise,
  };
  return kCommand;
}

}  // namespace tilewright::cli
