// `check`: what a program would be on a platform, and everything that is wrong with it.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/ir/plan.h"
#include "tilewright/results/json.h"
#include "tilewright/session/check.h"

namespace tilewright::cli {
namespace {

std::string limit_text(const std::optional<int64_t>& bytes) {
  return bytes ? human_bytes(*bytes) : "unlimited";
}

int64_t count_of(const auto& container) { return static_cast<int64_t>(container.size()); }

std::string share_text(int64_t bytes, int64_t limit) {
  if (limit == 0) return "-";
  return fmt::format("{:.0f}%", 100.0 * static_cast<double>(bytes) / static_cast<double>(limit));
}

void print_limits(std::ostream& out, const session::CheckResult& r) {
  Table table({"memory", "physical", "safe"});
  for (const platform::Memory& m : r.session->machine().memories)
    if (m.physical)
      table.row(
          {std::string(memory_space_name(m.space)), human_bytes(*m.physical), limit_text(m.safe)});
  if (table.empty()) {
    out << fmt::format("memory limits: none on {}\n", r.session->request().platform_name);
  } else {
    out << "memory limits\n" << table.text("  ");
  }
}

void print_escapes(std::ostream& out, const ir::Plan& plan) {
  if (plan.escapes.empty()) {
    out << "escapes: none, no value crosses kernels through GM\n";
    return;
  }
  Table table({"value", "bytes", "from kernel", "to kernels"});
  int64_t bytes = 0;
  for (const ir::Escape& e : plan.escapes) {
    std::vector<std::string> to;
    for (ir::KernelId k : e.to) to.push_back(plan.kernel(k).name);
    table.row({plan.program[e.var].name, std::to_string(e.bytes), plan.kernel(e.from).name,
               join(to, ", ")});
    bytes += e.bytes;
  }
  out << fmt::format("escapes: {} through GM, {}\n{}", counted(count_of(plan.escapes), "value"),
                     human_bytes(bytes), table.text("  "));
}

void print_peaks(std::ostream& out, const session::CheckResult& r) {
  Table table({"kernel", "core", "memory", "peak", "safe", "physical", "used"});
  for (const ir::Kernel& k : r.session->plan()->kernels)
    for (const ir::MemoryUse& u : k.use) {
      const platform::Memory* m = r.session->machine().memory(u.space);
      const platform::Memory limits = m ? *m : platform::Memory{};
      table.row({k.name, std::string(ir::core_kind_name(k.core)),
                 std::string(memory_space_name(u.space)), human_bytes(u.peak),
                 limit_text(limits.safe), limit_text(limits.physical),
                 share_text(u.peak, limits.physical.value_or(0))});
    }
  if (!table.empty()) out << "memory peaks\n" << table.text("  ");
}

void print_summary(std::ostream& out, const session::CheckResult& r) {
  const ir::TaskGraph* graph = r.session->graph();
  if (!graph) {
    out << "bounds: see the errors; tasks were not checked to the end\n";
    return;
  }
  out << fmt::format("bounds: every access of {} is in range, nothing undefined is read\n",
                     counted(count_of(graph->tasks), "task"));
  if (r.hazards)
    out << fmt::format("hazards: {} checked under rules {}, {} unordered\n",
                       counted(r.hazards->conflicts_checked, "conflict"), r.session->rules().name,
                       counted(r.hazards->unordered_pairs, "pair"));
}

void print_report(const Context& c, const session::CheckResult& r) {
  std::ostream& out = c.words();
  const session::Session& s = *r.session;
  out << fmt::format("{}: shape {} on {} ({})\n{}\n", c.paint(Colour::Bold, s.name()), s.shape(),
                     s.request().platform_name, s.machine().title, keys_text(s.keys()));
  print_limits(out, r);
  out << "\n";
  if (s.plan()) {
    out << counted(count_of(s.plan()->kernels), "kernel");
    if (s.graph())
      out << fmt::format(", {} in {}, {}", counted(count_of(s.graph()->tasks), "task"),
                         counted(s.graph()->submissions, "submission"),
                         counted(count_of(s.graph()->edges), "dependence"));
    out << "\n\n";
    print_escapes(out, *s.plan());
    out << "\n";
    print_peaks(out, r);
    out << "\n";
  }
  print_summary(out, r);
  if (!r.diagnostics.empty()) out << "\n";
  print_diagnostics(c, out, r.diagnostics);
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
      .flags = {kPlatform, kShape, kSet, kArg, kReference, kTiling, kSeed, kBudget, kRules, kJson,
                kHelp},
      .examples = {"check tour -p a2a3sim", "check tour --rules april-2026",
                   "check layer.py --arg hidden_size=5120",
                   "check tour --budget vector=2048,cube=16384"},
      .run = run_check,
  };
  return kCommand;
}

}  // namespace tilewright::cli
