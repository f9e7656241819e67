// Stated dependences that no data requires: they can only delay a task. Authors use them on
// purpose to keep a task off the cores for a while, so they are reported as notes only.
#pragma once

#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

struct StatedEdge {
  uint32_t from = 0, to = 0;  // submissions
};
// Those from a submission to another that no chain of data leads to.
std::vector<StatedEdge> superfluous_edges(const ir::TaskGraph& graph);

// One note for each statement that waits, and each kernel it waits for without need.
void note_superfluous(const ir::Plan& plan, const ir::TaskGraph& graph, Diagnostics& out);

}  // namespace tilewright::compile
