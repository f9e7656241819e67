// A profile without its program: kernels with names and no bodies, and tasks with the edges that
// the files give.
#pragma once

#include "tilewright/device/record.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::device {

struct NamelessRun {
  ir::Plan plan;
  ir::TaskGraph graph;
  ir::RunRecord record;
};

NamelessRun nameless_run(const Profile& profile, const DeviceTasks& tasks);

// "gate", of a mixed task "attention" where its sides are attention_aic and attention_aiv.
std::string kernel_name(const Profile& profile, const DeviceTask& task);
ir::CoreKind core_kind(const DeviceTask& task);

}  // namespace tilewright::device
