// Loops whose iterations are tasks: around one scope, the blocks of a launch, chunks of an auto
// scope.
#pragma once

#include "tilewright/improve/advice.h"
#include "tilewright/improve/rewrites/sites.h"

namespace tilewright::improve {

struct TaskLoop {
  LoopSite site;
  const report::Stage* stage = nullptr;  // the prediction of its tasks
  int64_t trips = 0;                     // an upper bound if scalars decide
  int64_t per_task = 1;                  // iterations per task; more than one with chunks

  int64_t tasks() const { return (trips + per_task - 1) / per_task; }
};

// The loops whose stage was executed.
std::vector<TaskLoop> task_loops(const Subject& s);

// The stage of the kernel that was made of these statements; null when it never ran.
const report::Stage* stage_of_body(const Subject& s, const ir::Block& body,
                                   const std::string& name);

// The program in which a task executes `per_task` iterations.
ir::Program with_iterations_per_task(const ir::Program& p, const TaskLoop& loop, int64_t per_task);

// The share of core time that so many equal tasks use when they run in waves.
double filled(int64_t tasks, int64_t cores);

}  // namespace tilewright::improve
