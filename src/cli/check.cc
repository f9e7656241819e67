// `check`: what a program would be on a platform, and everything that is wrong with it.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/harness/check.h"
#include "tilewright/harness/json.h"

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

void print_limits(std::ostream& out, const harness::CheckResult& r) {
  Table table({"memory", "physical", "safe"});
  for (const platform::Memory& m : r.machine.memories)
    if (m.physical)
      table.row(
          {std::string(memory_space_name(m.space)), human_bytes(*m.physical), limit_text(m.safe)});
  if (table.empty()) {
    out << fmt::format("memory limits: none on {}\n", r.platform);
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

void print_peaks(std::ostream& out, const harness::CheckResult& r) {
  Table table({"kernel", "core", "memory", "peak", "safe", "physical", "used"});
  for (const ir::Kernel& k : r.plan->kernels)
    for (const ir::MemoryUse& u : k.use) {
      const platform::Memory* m = r.machine.memory(u.space);
      const platform::Memory limits = m ? *m : platform::Memory{};
      table.row({k.name, std::string(ir::core_kind_name(k.core)),
                 std::string(memory_space_name(u.space)), human_bytes(u.peak),
                 limit_text(limits.safe), limit_text(limits.physical),
                 share_text(u.peak, limits.physical.value_or(0))});
    }
  if (!table.empty()) out << "memory peaks\n" << table.text("  ");
}

void print_summary(std::ostream& out, const harness::CheckResult& r) {
  if (!r.graph) {
    out << "bounds: see the errors; tasks were not checked to the end\n";
    return;
  }
  out << fmt::format("bounds: every access of {} is in range, nothing undefined is read\n",
                     counted(count_of(r.graph->tasks), "task"));
  if (r.hazards)
    out << fmt::format("hazards: {} checked under rules {}, {} unordered\n",
                       counted(r.hazards->conflicts_checked, "conflict"), r.rules.name,
                       counted(r.hazards->unordered_pairs, "pair"));
}

void print_report(const Context& c, const harness::CheckResult& r) {
  std::ostream& out = c.words();
  out << fmt::format("{}: shape {} on {} ({})\n{}\n", c.paint(Colour::Bold, r.program), r.shape,
                     r.platform, r.machine.title, keys_text(r.keys));
  print_limits(out, r);
  out << "\n";
  if (r.plan) {
    out << counted(count_of(r.plan->kernels), "kernel");
    if (r.graph)
      out << fmt::format(", {} in {}, {}", counted(count_of(r.graph->tasks), "task"),
                         counted(r.graph->submissions, "submission"),
                         counted(count_of(r.graph->edges), "dependence"));
    out << "\n\n";
    print_escapes(out, *r.plan);
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

}  // namespace

int check_command(const Context& c) {
  JsonOutput json(c);
  harness::CheckRequest request;
  static_cast<harness::Request&>(request) = c.request();
  request.budget = c.args.budget();
  request.rules = c.args.text("--rules");
  const harness::CheckResult result = harness::check(c.program(), request);
  print_report(c, result);
  json.write(harness::to_json(result));
  return result.passed() ? kFine : kFailed;
}

}  // namespace tilewright::cli
