#include "tilewright/golden/task_order.h"

#include "tilewright/base/check.h"
#include "tilewright/base/rng.h"

namespace tilewright::golden {
namespace {

// Submissions that wait for others, and their tasks [first_task[s], first_task[s + 1]).
class Waiting {
 public:
  explicit Waiting(std::vector<uint32_t> first_task)
      : first_task_(std::move(first_task)), successors_(count()), waits_for_(count(), 0) {}

  void edge(uint32_t from, uint32_t to) {
    successors_[from].push_back(to);
    ++waits_for_[to];
  }

  // Whatever is ready may be next. Every task is in the order once, unless there is a cycle.
  std::vector<ir::TaskId> random_order(uint64_t seed) {
    for (uint32_t s = 0; s < count(); ++s) left_.push_back(first_task_[s + 1] - first_task_[s]);
    std::vector<uint32_t> free;
    for (uint32_t s = 0; s < count(); ++s)
      if (waits_for_[s] == 0) free.push_back(s);
    open(std::move(free));
    Rng rng(seed);
    std::vector<ir::TaskId> order;
    while (!ready_.empty()) {
      std::swap(ready_[rng.integer(0, static_cast<int64_t>(ready_.size()))], ready_.back());
      const Ready now = ready_.back();
      ready_.pop_back();
      order.emplace_back(now.task);
      if (--left_[now.submission] == 0) open(finish(now.submission));
    }
    return order;
  }

 private:
  struct Ready {
    uint32_t submission, task;
  };

  uint32_t count() const { return static_cast<uint32_t>(first_task_.size() - 1); }

  // Its successors that wait for nothing more.
  std::vector<uint32_t> finish(uint32_t s) {
    std::vector<uint32_t> free;
    for (uint32_t next : successors_[s])
      if (--waits_for_[next] == 0) free.push_back(next);
    return free;
  }

  void open(std::vector<uint32_t> free) {
    while (!free.empty()) {
      const uint32_t s = free.back();
      free.pop_back();
      for (uint32_t t = first_task_[s]; t < first_task_[s + 1]; ++t) ready_.push_back({s, t});
      if (left_[s] > 0) continue;
      for (uint32_t next : finish(s)) free.push_back(next);  // a launch of no blocks
    }
  }

  std::vector<uint32_t> first_task_;
  std::vector<std::vector<uint32_t>> successors_;
  std::vector<uint32_t> waits_for_;
  std::vector<uint32_t> left_;  // tasks that have not run
  std::vector<Ready> ready_;
};

std::vector<ir::TaskId> random_order(const ir::TaskGraph& graph, uint64_t seed) {
  std::vector<uint32_t> each_alone;
  for (uint32_t t = 0; t <= graph.tasks.size(); ++t) each_alone.push_back(t);
  Waiting tasks(std::move(each_alone));
  for (uint32_t t = 0; t < graph.tasks.size(); ++t)
    for (const ir::Edge& e : graph.preds(ir::TaskId(t)))
      tasks.edge(static_cast<uint32_t>(e.from.index()), t);
  auto order = tasks.random_order(seed);
  check(order.size() == graph.tasks.size(), "the task graph has a cycle");
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

std::vector<ir::TaskId> task_order(const ir::RuntimeGraph& runtime, uint64_t seed) {
  Waiting submissions(runtime.first_task);
  for (uint32_t s = 0; s < runtime.submissions(); ++s)
    for (uint32_t p : runtime.preds_of(s)) submissions.edge(p, s);
  auto order = submissions.random_order(seed);
  check(order.size() == runtime.first_task.back(), "the runtime's order has a cycle");
  return order;
}

}  // namespace tilewright::golden
