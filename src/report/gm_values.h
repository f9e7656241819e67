// Values that pass through GM between kernels: values that escape a scope, and tensors that the
// orchestration creates. Parameters of the program are not included, since they must be in GM.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/task_graph.h"

namespace tilewright::report {

struct GmValue {
  ir::VarId var;
  bool escape = false;            // created in a scope; false: a tensor of the orchestration
  int64_t buffers = 0;            // how often it was created
  int64_t bytes = 0;              // of all its buffers
  int64_t written = 0, read = 0;  // bytes that tasks access, summed over tasks
  std::vector<ir::KernelId> from, to;
};

std::vector<GmValue> gm_values(const ir::Plan& plan, const ir::TaskGraph& graph);  // largest first

}  // namespace tilewright::report
