// `advise`: what costs time in a program and what to change, the largest gain first; with --apply
// the program with every mechanical change.
#include <fmt/format.h>

#include "tilewright/base/diff.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/changed_program.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/cli/tuned_output.h"
#include "tilewright/improve/apply.h"
#include "tilewright/ir/print.h"
#include "tilewright/results/named_constants.h"

namespace tilewright::cli {
namespace {

using improve::Finding;

// "at layer.cc:42, scope "gate"" and how much it gains.
void print_finding(const Context& c, std::size_t number, const Finding& f) {
  std::ostream& out = c.words();
  out << fmt::format("{:>2}. {} [{}]\n", number, f.what, c.paint(Colour::Bold, f.code));
  if (const std::string where = f.where.text(); !where.empty())
    out << fmt::format("    {}\n", where);
  out << fmt::format("    now {:.2f} us, after {:.2f} us: {:.1f} % less, {}\n", f.now_us,
                     f.after_us, 100 * f.gain_us() / f.now_us,
                     f.estimated ? "an estimate" : "predicted");
  out << fmt::format("    change: {}{}\n", f.change, f.mechanical() ? " (--apply does it)" : "");
}

int print_advice(const Context& c, const catalog::ProgramDef& def,
                 const session::Request& request) {
  JsonOutput json(c);
  Progress progress(c.err, c.terminal.progress);
  progress.begin("advise");
  const improve::Advice a =
      improve::advise(def, request, {.progress = [&](double done) { progress.update(done); }});
  progress.end();
  if (!a.profile) {
    print_diagnostics(c, c.err, a.session->diagnostics());
    return kFailed;
  }
  const report::Figures& all = a.profile->all;
  std::ostream& out = c.words();
  out << fmt::format("{} on {}, rules {}\n", c.heading(def.name, a.session->shape()),
                     a.session->request().platform_name, a.session->rules().name)
      << fmt::format("predicted {:.2f} us with {}; the roofline is {:.2f} us\n\n", all.total_us,
                     counted(all.tasks, "task"), all.roofline_us);
  print_diagnostics(c, out, session::caveats(*a.session));
  for (std::size_t i = 0; i < a.findings.size(); ++i) print_finding(c, i + 1, a.findings[i]);
  if (a.findings.empty())
    out << "nothing to advise\n";
  else
    out << fmt::format("\n{}\n", counted(static_cast<int64_t>(a.findings.size()), "finding"));
  if (!a.small.empty())
    out << fmt::format("{} less than {:.0f} %, which is within the error of predictions\n",
                       a.small.size() == 1 ? "1 other change gains"
                                           : fmt::format("{} other changes gain", a.small.size()),
                       100 * improve::least_gain(a.session->machine()));
  json.write(improve::to_json(a));
  return kFine;
}

// Like `history`: what each change did.
void print_ladder(std::ostream& out, std::size_t columns, const improve::Applied& a) {
  Table table({"step", "tasks", "us", "of roofline", "change"});
  const auto row = [&](const std::string& step, int64_t tasks, double us, const std::string& what) {
    table.row({step, std::to_string(tasks), fmt::format("{:.2f}", us),
               fmt::format("{:.1f} %", 100 * a.roofline_us / us), what});
  };
  row("start", a.before_tasks, a.before_us, "");
  for (const improve::Step& s : a.steps)
    row(s.code, s.tasks, s.after_us,
        (s.where.scope.empty() ? "" : s.where.scope + ": ") + s.change);
  out << table.text("", columns);
}

// The user's own file when only its constants changed, else the program as `show` prints it.
std::string text_of(const catalog::ProgramDef& def, const session::Request& request,
                    const improve::Applied& a) {
  if (a.rewritten) return ir::print(*a.program);
  if (def.rewrite)
    if (const auto changes = def.rewrite(a.set); changes.size() == 1) return changes[0].after;
  session::Request best = request;
  for (const auto& [key, value] : a.set) best.set[key] = value;
  return results::text_with_constants(def, session::configure(def, best));
}

std::string diff_of(const catalog::ProgramDef& def, const improve::Applied& a,
                    const std::string& name) {
  if (!a.rewritten && def.rewrite) return source_diff(def.rewrite(a.set), name);
  return unified_diff(ir::print(*a.original), ir::print(*a.program),
                      def.name + ", as show lists it", name);
}

// From the user's file to the changed program: `patch` applies it.
std::string patch_of(const catalog::ProgramDef& def, const improve::Applied& a) {
  if (!a.rewritten) return source_diff(def.rewrite(a.set));
  return unified_diff(read_text(def.name), ir::print(*a.program), def.name, def.name);
}

// UserError for a form that the changed program may not have.
OutputForm applied_form(const catalog::ProgramDef& def, const std::string& path) {
  const OutputForm form = output_form(def, path, ".py, .diff and .patch");
  const auto refuse = [&](const std::string& what) {
    user_error("output", what, fmt::format("in --output {}", path),
               "advise --apply changes more than keys, so it writes a whole program",
               "write the program to a .py file");
  };
  if (form == OutputForm::Keys) refuse("advise --apply writes no keys");
  if (form == OutputForm::Patch && def.name.find("::") != std::string::npos)
    refuse(fmt::format("{} is one of several programs of its file", def.name));
  return form;
}

int apply(const Context& c, const catalog::ProgramDef& def, const session::Request& request) {
  std::optional<AtomicFile> file;
  OutputForm form = OutputForm::Program;
  if (c.args.has("--output")) {
    form = applied_form(def, c.args.text("--output"));
    file.emplace(c.args.text("--output"));
  }
  std::ostream& words = file ? c.words() : c.err;  // without a file stdout is the program's
  Progress progress(c.err, c.terminal.progress);
  progress.begin("advise");
  improve::ApplyOptions options;
  options.heard = [&](const improve::Step& s) {
    progress.note(fmt::format("advise, {:.2f} us after {}", s.after_us, s.code));
  };
  options.comparing = [&] { progress.begin("compare values"); };
  const improve::Applied a = improve::apply_advice(def, request, options);
  progress.end();
  if (a.diagnostics.has_errors()) {
    print_diagnostics(c, c.err, a.diagnostics);
    return kFailed;
  }
  print_diagnostics(c, words, a.caveats_before);
  for (const std::string& what : a.undone)
    words << fmt::format("taken back, because values differed: {}\n", what);
  if (!a.changed()) {
    words << fmt::format("{}: {:.2f} us, and nothing gains; no file was written\n", def.name,
                         a.before_us);
    return kFine;
  }
  print_ladder(words, c.columns(), a);
  words << fmt::format("{}: {:.2f} us -> {:.2f} us, {:.2f} times faster, predicted\n",
                       counted(static_cast<int64_t>(a.steps.size()), "change"), a.before_us,
                       a.after_us, a.before_us / a.after_us);
  print_outputs(c, words, a.outputs);
  print_caveats_of_result(c, words, a.caveats_after);
  if (!file) {
    c.out << text_of(def, request, a);
    return kFine;
  }
  const std::string path = c.args.text("--output");
  if (form == OutputForm::Patch) {
    file->commit(patch_of(def, a));
    print_diff(c, words, diff_of(def, a, def.name));
    words << fmt::format("saved {}; next: patch -p0 < {}\n", path, shell_word(path));
    return kFine;
  }
  file->commit(text_of(def, request, a));
  print_diff(c, words, diff_of(def, a, path));
  words << fmt::format("saved {}; next: {} compare {} {}\n", path, c.terminal.command(),
                       shell_word(def.name), shell_word(path));
  return kFine;
}

int run_advise(const Context& c) {
  if (c.args.has("--output") && !c.args.has("--apply"))
    user_error("output", "--output without --apply", "",
               "only changes that are applied make a new program", "add --apply, or leave out -o");
  const catalog::ProgramDef& def = c.program();
  const session::Request request = prediction_request(c);
  return c.args.has("--apply") ? apply(c, def, request) : print_advice(c, def, request);
}

constexpr Flag kApply{"", "--apply", "", "applies changes one by one while they gain time"};
constexpr Flag kApplied{"-o", "--output", "FILE",
                        "with --apply, writes program (.py) or patch (.diff)"};

}  // namespace

const Command& advise_command() {
  static const Command kCommand{
      .name = "advise",
      .operand = "PROGRAM",
      .summary = "finds what costs time in a program and proposes changes",
      .flags = {kMachine, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kRules, kOverride, kApply,
                kApplied, kExtern, kJson, kHelp},
      .examples = {"advise qwen3/scope3-before --shape tiny",
                   "advise qwen3/scope1 --apply -o faster.py"},
      .run = run_advise,
  };
  return kCommand;
}

}  // namespace tilewright::cli
