#include "tilewright/compile/unroll/tracking.h"

#include <algorithm>

namespace tilewright::compile {

using namespace ir;

Tracking::Tracking(const Plan& plan, const TaskGraph& graph) : plan_(plan), graph_(graph) {
  for (const Task& task : graph.tasks) {
    const Kernel& k = plan.kernel(task.kernel);
    for (std::size_t i = 0; i < k.args.size(); ++i)
      if (k.args[i].escape) creators_[graph.arg(task, i).buffer] = task.submission;
  }
}

bool Tracking::is_manual(uint32_t submission) const {
  const TaskOrder* order = graph_.submissions[submission].order;
  return order && order->manual;
}

bool Tracking::follows(uint32_t submission, BufferId buffer) const {
  const auto left_out = graph_.untracked_by(submission);
  return !is_manual(submission) && !plan_.program[graph_.buffers[buffer.index()].var].untracked &&
         std::ranges::find(left_out, buffer) == left_out.end();
}

// Whoever uses a tensor waits for the task that made it, unless a manual scope says otherwise.
bool Tracking::orders(uint32_t from, uint32_t to, BufferId buffer) const {
  return (follows(from, buffer) && follows(to, buffer)) ||
         (creator(buffer) == from && !is_manual(to));
}

std::optional<uint32_t> Tracking::creator(BufferId buffer) const {
  const auto it = creators_.find(buffer);
  if (it == creators_.end()) return std::nullopt;
  return it->second;
}

}  // namespace tilewright::compile
