// What the tasks of a graph work on: views of GM and scalars. Used by everything that runs tasks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tilewright/golden/memory.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden {

// Parameters are the caller's arrays; other GM buffers exist from their first use to their last, so
// that a whole layer does not hold all of its temporaries at once.
class TaskData {
 public:
  // Out parameters are poisoned.
  TaskData(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings);

  ir::TaskArgs args(const ir::Task& task) const;
  // The task's arguments become views of GM.
  void bind(const ir::Task& task, Memory& memory);
  // Parameters, and what the task is passed by value. What one task sets, no other sees.
  Scalars scalars(const ir::Task& task) const;
  // The task has run.
  void release(const ir::Task& task);

 private:
  GmView view(const ir::TensorRef& ref);

  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  const ir::Bindings& bindings_;
  Scalars params_;
  std::vector<std::shared_ptr<HostArray>> arrays_;  // by buffer
  std::vector<uint32_t> uses_left_;                 // arguments of tasks that have not run yet
};

}  // namespace tilewright::golden
