// Which conflicting tasks a runtime would leave unordered. The conflicts are the exact edges of the
// task graph; the runtime's own edges follow from its rules (npu-facts 3.4). A conflict is safe when
// the runtime's edges lead from one task to the other, directly or through others.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using platform::RuntimeRules;

// Is there a chain of runtime edges from one submission to another?
class Reachability {
 public:
  explicit Reachability(const RuntimeGraph& order) : order_(order), visited_(order.submissions(), 0) {}

  bool leads(uint32_t from, uint32_t to) {
    if (from == to) return false;
    const auto direct = order_.preds_of(to);
    if (std::ranges::find(direct, from) != direct.end()) return true;
    if (searched_ != to) {
      searched_ = to;
      ++stamp_;
      frontier_.assign(direct.begin(), direct.end());
      for (uint32_t n : frontier_) visited_[n] = stamp_;
    }
    while (visited_[from] != stamp_ && !frontier_.empty()) {
      // Newest first: an ancestor older than `from` cannot lead to it, so stop expanding there.
      const auto newest = std::ranges::max_element(frontier_);
      const uint32_t n = *newest;
      if (n < from) break;
      *newest = frontier_.back();
      frontier_.pop_back();
      for (uint32_t p : order_.preds_of(n)) {
        if (visited_[p] == stamp_) continue;
        visited_[p] = stamp_;
        frontier_.push_back(p);
      }
    }
    return visited_[from] == stamp_;
  }

 private:
  const RuntimeGraph& order_;
  uint32_t searched_ = UINT32_MAX;
  uint32_t stamp_ = 0;
  std::vector<uint32_t> visited_;
  std::vector<uint32_t> frontier_;
};

struct Pair {
  std::string first, second, tensor;
  EdgeKind kind;
  auto operator<=>(const Pair&) const = default;
};

// The two accesses that make a conflict: same buffer, the kinds of the edge, overlapping.
std::pair<const Access*, const Access*> conflict(const TaskGraph& graph, const Edge& e, TaskId to) {
  for (const Access& a : graph.accesses_of(graph.tasks[e.from.index()])) {
    if (a.buffer != e.buffer || a.write != (e.kind != EdgeKind::WriteAfterRead)) continue;
    for (const Access& b : graph.accesses_of(graph.tasks[to.index()]))
      if (b.buffer == e.buffer && b.write == (e.kind != EdgeKind::ReadAfterWrite) &&
          a.rect.overlaps(b.rect))
        return {&a, &b};
  }
  return {nullptr, nullptr};
}

std::string help_for(EdgeKind kind, const RuntimeRules& rules) {
  switch (kind) {
    case EdgeKind::ReadAfterWrite:
      return fmt::format("this runtime remembers {} writers of a tensor: write it by fewer tasks, or "
                         "combine them in steps",
                         rules.max_producers);
    case EdgeKind::WriteAfterRead:
      return "this runtime does not order a writer after earlier readers: use a fresh tensor per "
             "iteration";
    case EdgeKind::WriteAfterWrite:
      return "this runtime does not order them: let the later task also read the tensor, or write "
             "separate tensors and combine them";
  }
  return "";
}

std::string place_text(const Access* a, const Kernel& k) {
  return a && a->op ? a->op->place.text() : k.place.text();
}

}  // namespace

HazardReport find_hazards(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules) {
  HazardReport report;
  const RuntimeGraph runtime = order_tasks(plan, graph, rules);
  Reachability order(runtime);
  struct Group {
    int64_t count = 0;
    TaskId a, b;
    std::string region;
  };
  std::map<Pair, Group> groups;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const TaskId to(t);
    for (const Edge& e : graph.preds(to)) {
      ++report.conflicts_checked;
      if (order.leads(graph.tasks[e.from.index()].submission, graph.tasks[t].submission)) continue;
      ++report.unordered_pairs;
      const auto [first, second] = conflict(graph, e, to);
      const Kernel& ka = plan.kernel(graph.tasks[e.from.index()].kernel);
      const Kernel& kb = plan.kernel(graph.tasks[t].kernel);
      Group& g = groups[{place_text(first, ka), place_text(second, kb),
                         plan.program[graph.buffers[e.buffer.index()].var].name, e.kind}];
      if (g.count++ == 0) g = {1, e.from, to, second ? " " + second->rect.text() : ""};
    }
  }
  for (const auto& [pair, g] : groups) {
    const Kernel& kb = plan.kernel(graph.tasks[g.b.index()].kernel);
    report.diagnostics.add(
        {Severity::Error, "hazard",
         fmt::format("{} and {} race on {}{} ({}) under runtime rules {}: {}",
                     task_name(plan, graph, g.a), task_name(plan, graph, g.b), pair.tensor, g.region,
                     edge_kind_name(pair.kind), rules.name, counted(g.count, "unordered pair")),
         fmt::format("at {} and {}, program {}, scope \"{}\"", pair.first, pair.second, plan.program.name, kb.name),
         "two tasks that touch the same data, one of them writing, need an order",
         help_for(pair.kind, rules),
         {}});
  }
  return report;
}

}  // namespace tilewright::compile
