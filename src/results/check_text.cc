#include "tilewright/results/check_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/report/gm_values.h"

namespace tilewright::results {
namespace {

std::string limit_text(const std::optional<int64_t>& bytes) {
  return bytes ? human_bytes(*bytes) : "unlimited";
}

int64_t count_of(const auto& container) { return static_cast<int64_t>(container.size()); }

std::string share_text(int64_t bytes, int64_t limit) {
  if (limit == 0) return "-";
  return fmt::format("{:.0f}%", 100.0 * static_cast<double>(bytes) / static_cast<double>(limit));
}

std::string limits_text(const session::Session& s) {
  Table table({"memory", "physical", "safe"});
  for (const platform::Memory& m : s.machine().memories)
    if (m.physical)
      table.row(
          {std::string(memory_space_name(m.space)), human_bytes(*m.physical), limit_text(m.safe)});
  if (table.empty()) return fmt::format("memory limits: none on {}\n", s.request().platform_name);
  return "memory limits\n" + table.text("  ");
}

std::string counts_text(const session::Session& s) {
  std::string text = s.ranks() > 1 ? fmt::format("{} ranks; the first has ", s.ranks()) : "";
  text += counted(count_of(s.plan()->kernels), "kernel");
  if (const ir::TaskGraph* graph = s.graph())
    text += fmt::format(", {} in {}, {}", counted(count_of(graph->tasks), "task"),
                        counted(count_of(graph->submissions), "submission"),
                        counted(count_of(graph->edges), "dependence"));
  return text + "\n";
}

// Tensors that the program creates, written by one task and read by another.
int64_t created_tensors(const session::Session& s) {
  if (!s.graph()) return 0;
  return std::ranges::count_if(report::gm_values(*s.plan(), *s.graph()), [](const auto& v) {
    return !v.escape && !v.from.empty() && !v.to.empty();
  });
}

std::string through_gm_text(const session::Session& s) {
  const ir::Plan& plan = *s.plan();
  const std::string head = fmt::format("through GM between kernels: {} of the program, ",
                                       counted(created_tensors(s), "tensor"));
  if (plan.escapes.empty()) return head + "no escapes\n";
  Table table({"value", "bytes", "from kernel", "to kernels"});
  int64_t bytes = 0;
  for (const ir::Escape& e : plan.escapes) {
    std::vector<std::string> to;
    for (ir::KernelId k : e.to) to.push_back(plan.kernel(k).name);
    table.row({plan.program[e.var].written_name(), std::to_string(e.bytes), plan.kernel(e.from).name,
               join(to, ", ")});
    bytes += e.bytes;
  }
  return fmt::format("{}{} ({})\n{}", head, counted(count_of(plan.escapes), "escape"),
                     human_bytes(bytes), table.text("  "));
}

// What is alive at once and how far it reaches after placement differ: tiles that do not live at the
// same time may still be kept apart. The limits apply to the highest address, so `used` does too.
std::string memory_use_text(const session::Session& s) {
  Table table({"kernel", "core", "memory", "alive", "highest", "safe", "physical", "used"});
  for (const ir::Kernel& k : s.plan()->kernels)
    for (const ir::MemoryUse& u : k.use) {
      const platform::Memory* m = s.machine().memory(u.space);
      const platform::Memory limits = m ? *m : platform::Memory{};
      table.row({k.name, std::string(ir::core_kind_name(k.core)),
                 std::string(memory_space_name(u.space)), human_bytes(u.peak),
                 human_bytes(u.allocated), limit_text(limits.safe), limit_text(limits.physical),
                 share_text(u.allocated, limits.physical.value_or(0))});
    }
  if (table.empty()) return "";
  return "on-chip memory: bytes alive at once, highest address after placement\n" +
         table.text("  ");
}

// The most serious statement of the notes about undefined elements.
std::string_view undefined_text(const Diagnostics& diagnostics) {
  const auto told = [&](std::string_view code) {
    return std::ranges::any_of(diagnostics.list(), [&](const Diagnostic& d) { return d.code == code; });
  };
  if (told("undefined-output") || told("undefined-index"))
    return "reaches an output unless the data lets it (see the notes)";
  return told("undefined-read") ? "reaches an output (see the notes)" : "is read";
}

std::string tasks_text(const session::CheckResult& r) {
  const ir::TaskGraph* graph = r.session->graph();
  if (!graph) return "bounds: see the errors; tasks were not checked to the end\n";
  std::string text =
      fmt::format("bounds: every access of {} is in range, nothing undefined {}\n",
                  counted(count_of(graph->tasks), "task"), undefined_text(r.diagnostics));
  if (r.hazards)
    text += fmt::format("rules: {}\nhazards: {} checked under rules {}, {} unordered\n",
                        r.session->chosen_rules().text(),
                        counted(r.hazards->conflicts_checked, "conflict"), r.session->rules().name,
                        counted(r.hazards->unordered_pairs, "pair"));
  return text;
}

}  // namespace

std::string check_text(const session::CheckResult& r) {
  const session::Session& s = *r.session;
  std::string text = limits_text(s) + "\n";
  if (s.plan()) text += counts_text(s) + "\n" + through_gm_text(s) + "\n" + memory_use_text(s) + "\n";
  return text + tasks_text(r);
}

}  // namespace tilewright::results
