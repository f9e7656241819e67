// Which numbers decide how an execution of a kernel goes: trip counts, branches, valid extents.
// Offsets do not, so a thousand tasks on different blocks are one execution to the simulator.
#pragma once

#include <vector>

#include "tilewright/ir/plan.h"

namespace tilewright::sim {

// Expressions over the kernel's scalars: equal values mean equal executions, reads of data apart.
std::vector<ir::Expr> control_key(const ir::Kernel& kernel);

}  // namespace tilewright::sim
