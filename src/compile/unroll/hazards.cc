// Which conflicting tasks a runtime would leave unordered. The conflicts are the exact edges of the
// task graph; the runtime's own edges follow from its rules (npu-facts 3.4). A conflict is safe when
// the runtime's edges lead from one task to the other, directly or through others.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/unroll/conflicts.h"
#include "tilewright/compile/unroll/reachability.h"
#include "tilewright/compile/unroll/stated_order.h"
#include "tilewright/compile/unroll/tracking.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using platform::RuntimeRules;

// Why a runtime does not look at a conflict at all.
enum class Untracked : uint8_t { No, Manual, Tensor };

Untracked why_untracked(const Tracking& tracking, uint32_t from, uint32_t to, BufferId buffer) {
  if (tracking.is_manual(from) || tracking.is_manual(to)) return Untracked::Manual;
  return tracking.orders(from, to, buffer) ? Untracked::No : Untracked::Tensor;
}

// Conflicts that are told together: the same two statements, however often an unrolled loop or a
// call has copied them and their tensors.
struct Pair {
  std::string first, second;
  EdgeKind kind;
  Untracked why;
  auto operator<=>(const Pair&) const = default;
};

// A copy, by identity: there may be many millions of pairs, and texts are made once per group.
using PairId = std::tuple<const Place*, const Place*, VarId, EdgeKind>;

struct Group {
  int64_t count = 0;
  TaskId a, b;  // of the first pair
  std::string region;  // what both touch
  const Place* first = nullptr;
  const Place* second = nullptr;
  Untracked why = Untracked::No;
  VarId tensor;
  EdgeKind kind;
  std::set<std::string> tensors = {};  // of all copies, by name
};

std::string help_for(EdgeKind kind, const RuntimeRules& rules, Untracked why) {
  switch (why) {
    case Untracked::Manual:
      return "in a manual scope only deps order a task: name the earlier task with 'as tid' and give "
             "the later one deps=[tid]";
    case Untracked::Tensor:
      return "this tensor orders no tasks (manual_dep, no_dep_args): give the later task "
             "deps=[tid] of the earlier one";
    case Untracked::No: break;
  }
  switch (kind) {
    case EdgeKind::ReadAfterWrite:
      return fmt::format(
          "this runtime tracks at most {} writers of a tensor: write the tensor "
          "from fewer tasks, or combine partial results in steps",
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

const Place& place_of(const Access* a, const Kernel& k) {
  return a && a->op ? a->op->place : k.place;
}

// `found` is in the order of tasks, so the first copy speaks for the others.
std::map<Pair, Group> by_statements(const Plan& plan, const std::vector<Group>& found) {
  std::map<Pair, Group> groups;
  for (const Group& copy : found) {
    const auto [it, added] = groups.try_emplace(
        {copy.first->text(), copy.second->text(), copy.kind, copy.why}, copy);
    if (!added) it->second.count += copy.count;
    it->second.tensors.insert(plan.program[copy.tensor].name);
  }
  return groups;
}

Diagnostic race_diagnostic(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules,
                           const Pair& pair, const Group& g) {
  const Kernel& kb = plan.kernel(graph.tasks[g.b.index()].kernel);
  const auto others = static_cast<int64_t>(g.tensors.size()) - 1;
  return {Severity::Error, "hazard",
          fmt::format("{} and {} race on {}{}{} ({}) under runtime rules {}: {}",
                      task_name(plan, graph, g.a), task_name(plan, graph, g.b),
                      plan.program[g.tensor].written_name(), g.region,
                      others > 0 ? " and on " + counted(others, "other tensor") : "",
                      edge_kind_name(pair.kind), rules.name, counted(g.count, "unordered pair")),
          fmt::format("at {} and {}, program {}, scope \"{}\"", pair.first, pair.second,
                      plan.program.name, kb.name),
          "two tasks that access the same data need an order if one of them writes",
          help_for(pair.kind, rules, g.why),
          g.first->excerpt() + (*g.first == *g.second ? "" : g.second->excerpt()),
          *g.first,
          {{*g.second, "the other place"}}};
}

}  // namespace

HazardReport find_hazards(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules) {
  HazardReport report;
  const RuntimeGraph runtime = order_tasks(plan, graph, rules);
  Reachability order(runtime);
  const Tracking tracking(plan, graph);
  Conflicts conflicts(graph);
  std::map<PairId, std::size_t> index;
  std::vector<Group> found;  // in the order of their first pairs
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const TaskId to(t);
    for (const Edge& e : graph.preds(to)) {
      // Blocks of one launch that may meet: unrolling has told.
      if (graph.tasks[e.from.index()].submission == graph.tasks[t].submission) continue;
      ++report.conflicts_checked;
      const uint32_t from = graph.tasks[e.from.index()].submission;
      if (order.leads(from, graph.tasks[t].submission)) continue;
      ++report.unordered_pairs;
      const auto [first, second] = conflicts.find(e, to);
      const Kernel& ka = plan.kernel(graph.tasks[e.from.index()].kernel);
      const Kernel& kb = plan.kernel(graph.tasks[t].kernel);
      const Place* at_first = &place_of(first, ka);
      const Place* at_second = &place_of(second, kb);
      const VarId tensor = graph.buffers[e.buffer.index()].var;
      const auto [it, added] =
          index.try_emplace({at_first, at_second, tensor, e.kind}, found.size());
      if (added)
        found.push_back(
            {0, e.from, to, second ? " " + intersection(first->rect, second->rect).text() : "",
             at_first, at_second,
             why_untracked(tracking, from, graph.tasks[t].submission, e.buffer), tensor, e.kind});
      ++found[it->second].count;
    }
  }
  for (const auto& [pair, g] : by_statements(plan, found))
    report.diagnostics.add(race_diagnostic(plan, graph, rules, pair, g));
  note_superfluous(plan, graph, report.diagnostics);
  return report;
}

}  // namespace tilewright::compile
