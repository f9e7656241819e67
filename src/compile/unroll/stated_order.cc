#include "tilewright/compile/unroll/stated_order.h"

#include <fmt/format.h>

#include <map>

#include "tilewright/base/text.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/unroll/reachability.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// The order that follows from data alone, between submissions.
RuntimeGraph data_order(const TaskGraph& graph) {
  RuntimeGraph out;
  out.pred_begin.push_back(0);
  std::size_t t = 0;
  for (uint32_t s = 0; s < graph.submissions.size(); ++s) {
    out.first_task.push_back(static_cast<uint32_t>(t));
    const std::size_t begin = out.preds.size();
    for (; t < graph.tasks.size() && graph.tasks[t].submission == s; ++t)
      for (const Edge& e : graph.preds(TaskId(t))) {
        const uint32_t from = graph.tasks[e.from.index()].submission;
        if (from != s) out.preds.push_back(from);
      }
    std::sort(out.preds.begin() + begin, out.preds.end());
    out.preds.truncate(static_cast<std::size_t>(
        std::unique(out.preds.begin() + begin, out.preds.end()) - out.preds.begin()));
    out.pred_begin.push_back(static_cast<uint32_t>(out.preds.size()));
  }
  out.first_task.push_back(static_cast<uint32_t>(t));
  return out;
}

// Submissions with signals: they are ordered for the sake of other ranks, of which no data here tell.
std::vector<bool> with_signals(const TaskGraph& graph) {
  std::vector<bool> out(graph.submissions.size());
  for (const RankEvent& e : graph.rank_events)
    if (e.is_signal()) out[graph.tasks[e.task.index()].submission] = true;
  return out;
}

}  // namespace

std::vector<StatedEdge> superfluous_edges(const TaskGraph& graph) {
  std::vector<StatedEdge> found;
  if (graph.stated.empty()) return found;
  const RuntimeGraph data = data_order(graph);
  Reachability needed(data);
  const std::vector<bool> signals = with_signals(graph);
  for (uint32_t s = 0; s < graph.submissions.size(); ++s)
    for (uint32_t from : graph.stated_preds(s))
      if (!signals[from] && !signals[s] && !needed.leads(from, s)) found.push_back({from, s});
  return found;
}

void note_superfluous(const Plan& plan, const TaskGraph& graph, Diagnostics& out) {
  const std::vector<StatedEdge> edges = superfluous_edges(graph);
  if (edges.empty()) return;
  std::vector<const Kernel*> kernel_of(graph.submissions.size(), nullptr);
  for (const Task& t : graph.tasks) kernel_of[t.submission] = &plan.kernel(t.kernel);
  struct Group {
    const Kernel* from;
    const Kernel* to;
    int64_t count = 0;
  };
  // By the lines of both: an unrolled loop makes many kernels of one line.
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const StatedEdge& e : edges) {
    const Kernel* from = kernel_of[e.from];
    const Kernel* to = kernel_of[e.to];
    if (!from || !to) continue;  // a launch of no blocks
    ++groups.try_emplace({to->place.text(), from->place.text()}, Group{from, to})
          .first->second.count;
  }
  for (const auto& [places, g] : groups)
    out.add({Severity::Note, "stated-order",
             fmt::format("{} waits for {} but uses none of its data: {}", g.to->name, g.from->name,
                         counted(g.count, "stated dependence")),
             where_text(plan.program, g.to->place, g.to->name, ""),
             "a task can start when its data is available; any other deps only delay it",
             "remove them from deps unless the delay is intended", g.to->place.excerpt(),
             g.to->place});
}

}  // namespace tilewright::compile
