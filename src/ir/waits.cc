#include "tilewright/ir/waits.h"

#include <algorithm>
#include <numeric>

namespace tilewright::ir {
namespace {

// When the core of `before` can be given to the task. A task that was put on its core before its
// producers finished is there already, and starts when the core itself is free.
int64_t free_at(const TaskRecord& task, const TaskRecord& before) {
  return task.dispatch < task.ready ? before.end : before.finish;
}

}  // namespace

void find_waits(RunRecord& record, const Producers& producers) {
  for (std::size_t t = 0; t < record.tasks.size(); ++t) {
    TaskRecord& task = record.tasks[t];
    task.ready = task.submitted;
    task.last_producer = task.before = TaskId();
    producers(TaskId(t), [&](TaskId from) {
      const int64_t finish = record.tasks[from.index()].finish;
      if (finish < task.ready) return;
      task.ready = finish;
      task.last_producer = from;
    });
  }
  std::vector<std::size_t> order(record.tasks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::size_t t) { return record.tasks[t].start; });
  std::vector<TaskId> last(record.lanes.size());
  for (std::size_t t : order) {
    TaskRecord& task = record.tasks[t];
    TaskId& before = last[static_cast<std::size_t>(task.lane)];
    if (before.valid() && free_at(task, record.tasks[before.index()]) > task.ready)
      task.before = before;
    before = TaskId(t);
  }
}

}  // namespace tilewright::ir
