// Values that travel through GM between kernels: what a scope lets escape, and the tensors the
// orchestration makes. Parameters of the program are not among them: they must come and go.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/task_graph.h"

namespace tilewright::report {

struct GmValue {
  ir::VarId var;
  bool escape = false;            // born inside a scope; false: a tensor of the orchestration
  int64_t buffers = 0;            // times it was made
  int64_t bytes = 0;              // all of them
  int64_t written = 0, read = 0;  // bytes that tasks touch, each task's own
  std::vector<ir::KernelId> from, to;
};

std::vector<GmValue> gm_values(const ir::Plan& plan, const ir::TaskGraph& graph);  // largest first

}  // namespace tilewright::report
