// What a run shows of its machine, as a few times that a prediction of the run can be held against.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/device/profile.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::session {

struct Observed {
  std::string of;  // "gate: exec", "scheduler: dispatch"
  double us = 0;
};

// Picoseconds that the runtime's threads spent, by kind of work.
using RuntimeBusy = std::map<std::string, int64_t>;
RuntimeBusy runtime_busy(const device::Profile& profile);
RuntimeBusy runtime_busy(const ir::RunRecord& record);  // that kept its phases

// Per kernel the mean execution, head and tail; the total time; the work of the runtime's threads.
// A level of the recording leaves out what it does not include. Of equal programs and levels the
// results have the same entries in the same order.
std::vector<Observed> observed(const ir::Plan& plan, const ir::TaskGraph& graph,
                               const ir::RunRecord& record, const RuntimeBusy& busy, int level);

}  // namespace tilewright::session
