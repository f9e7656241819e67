// A profile of a program that is known: its tasks are those of the program, in the order of their
// submission.
#pragma once

#include <vector>

#include "tilewright/device/record.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::device {

// The profile as a record of the tasks of `graph`, without kernel profiles and waits. ProgramError
// when it is not one of this program: another number of tasks, or of blocks, or other cores; the
// message names the first difference. UserError when the files do not give the order of tasks.
ir::RunRecord match(const Profile& profile, const DeviceTasks& tasks, const ir::Plan& plan,
                    const ir::TaskGraph& graph);

}  // namespace tilewright::device
