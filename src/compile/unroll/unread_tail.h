// Inputs whose last rows or columns no task reads, since the tile does not divide the tensor:
// `for kb in pl.range(K // K_TILE)` with a remainder.
#pragma once

#include "tilewright/compile/unroll/findings.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

void report_unread_tails(const ir::Program& program, const ir::TaskGraph& graph,
                         Findings& findings);

}  // namespace tilewright::compile
