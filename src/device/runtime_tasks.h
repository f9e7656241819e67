// The submissions of a program under the numbers that a runtime gives them. For export.
#pragma once

#include <vector>

#include "tilewright/device/export.h"
#include "tilewright/device/profile.h"

namespace tilewright::device {

// One task of the runtime: a submission, or the allocation of what it is the first to touch.
struct RuntimeTask {
  TaskNumber number = 0;
  uint32_t submission = 0;
  bool allocation = false;
};

class RuntimeTasks {
 public:
  explicit RuntimeTasks(const Executed& run);

  const std::vector<RuntimeTask>& list() const { return list_; }
  TaskNumber of_submission(uint32_t s) const { return of_submission_[s]; }
  // Who waits for whom: tasks for tasks, and for the allocations of what they touch.
  std::vector<EdgeInfo> edges() const;

 private:
  const Executed& run_;
  std::vector<RuntimeTask> list_;
  std::vector<TaskNumber> of_submission_;
  std::vector<TaskNumber> maker_;  // by buffer: its allocation
};

// Numbers of functions: one per kernel, of a mixed kernel one for each side.
std::array<int, 3> functions_of(const ir::Plan& plan, ir::KernelId kernel);
std::vector<std::string> function_names(const ir::Plan& plan);

}  // namespace tilewright::device
