// What a run shows of its machine, as a few times that a prediction of the run can be held against.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::session {

struct Observed {
  std::string of;  // "gate: exec", "schedulers"
  double us = 0;
};

// Per kernel the mean execution, head and tail; the total time; the busy times of the runtime's
// threads. A level of the recording leaves out what it does not include. Of equal programs and
// levels the results have the same entries in the same order.
std::vector<Observed> observed(const ir::Plan& plan, const ir::TaskGraph& graph,
                               const ir::RunRecord& record, int level);

}  // namespace tilewright::session
