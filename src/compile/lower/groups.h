// Runs of instructions that this CPU executes as one step become Group nodes. `lower` calls it
// last, for platforms that are not devices; `cpu` builds one step from each group.
#pragma once

#include "tilewright/ir/plan.h"

namespace tilewright::compile {

void find_groups(const ir::Program& program, const ir::Kernel& kernel, ir::LoweredKernel& lowered);

}  // namespace tilewright::compile
