// Inputs of which no task reads a part, and that look like a mistake: the tile does not divide the
// tensor (`for kb in pl.range(K // K_TILE)` with a remainder), or the offset of a load in a loop does
// not move with the loop.
#pragma once

#include "tilewright/compile/unroll/findings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

void report_unread_inputs(const ir::Plan& plan, const ir::TaskGraph& graph, Findings& findings);

}  // namespace tilewright::compile
