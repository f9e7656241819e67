// The numbers that decide how an execution of a kernel proceeds: trip counts, branches, valid
// extents. Offsets do not, so the simulator treats a thousand tasks on different blocks as one
// execution.
#pragma once

#include <vector>

#include "tilewright/ir/plan.h"

namespace tilewright::sim {

struct ControlKey {
  // Expressions over the kernel's scalars: equal values mean equal executions, reads of data apart.
  std::vector<ir::Expr> values;
  bool reads_data = false;  // control or extents may depend on data
};

ControlKey control_key(const ir::Kernel& kernel);

}  // namespace tilewright::sim
