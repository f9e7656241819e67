#include "tilewright/golden/task_order.h"

#include "tilewright/base/check.h"
#include "tilewright/base/rng.h"

namespace tilewright::golden {
namespace {

std::vector<ir::TaskId> random_order(const ir::TaskGraph& graph, uint64_t seed) {
  const std::size_t count = graph.tasks.size();
  std::vector<std::vector<uint32_t>> successors(count);
  std::vector<uint32_t> waiting_for(count, 0);
  std::vector<uint32_t> ready;
  for (uint32_t t = 0; t < count; ++t) {
    for (const ir::Edge& e : graph.preds(ir::TaskId(t))) {
      successors[e.from.index()].push_back(t);
      ++waiting_for[t];
    }
    if (waiting_for[t] == 0) ready.push_back(t);
  }
  Rng rng(seed);
  std::vector<ir::TaskId> order;
  order.reserve(count);
  while (!ready.empty()) {
    std::swap(ready[rng.integer(0, static_cast<int64_t>(ready.size()))], ready.back());
    const uint32_t t = ready.back();
    ready.pop_back();
    order.emplace_back(t);
    for (uint32_t next : successors[t])
      if (--waiting_for[next] == 0) ready.push_back(next);
  }
  check(order.size() == count, "the task graph has a cycle");
  return order;
}

}  // namespace

std::vector<ir::TaskId> task_order(const ir::TaskGraph& graph, std::optional<uint64_t> seed) {
  if (seed) return random_order(graph, *seed);
  std::vector<ir::TaskId> order;
  order.reserve(graph.tasks.size());
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    for (const ir::Edge& e : graph.preds(ir::TaskId(t)))
      check(e.from.index() < t, "a task waits for one submitted after it");
    order.emplace_back(t);
  }
  return order;
}

}  // namespace tilewright::golden
