// Small programs for the simulator's tests, compiled, unrolled and ordered.
#pragma once

#include <string>
#include <vector>

#include "tilewright/compile/compile.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/sim/sim.h"

namespace tilewright::sim_tests {

// Its parts point into each other, so it does not move.
struct Ready {
  ir::Plan plan;
  ir::TaskGraph graph;
  ir::RuntimeGraph order;
  platform::Scheduling scheduling;  // of its rules

  Ready(const ir::Program& program, const platform::Platform& machine,
        const std::string& rules = "exact");
  Ready(const Ready&) = delete;

  ir::RunRecord run(const platform::Platform& machine, sim::Options options = {}) const;
};

platform::Platform a2a3();
// The machine with some of its numbers changed.
platform::Platform with(platform::Platform machine, const std::vector<std::string>& overrides);

// `blocks` output blocks of [16, depth] x [depth, 64], a task each.
ir::Program product(int64_t blocks, int64_t depth, int64_t k_tile, int stages = 1);
// Each task adds 1 to all of one tensor.
ir::Program chain(int64_t tasks);
// `tasks` vector tasks that do not know each other.
ir::Program independent(int64_t tasks);
// Vector tasks, two cube tasks that need them all, two vector tasks after those.
ir::Program diamond();
// A matmul whose result is finished by the vector cores of the same task.
ir::Program mixed(int64_t blocks);
// One launch of many blocks, then tasks that need it.
ir::Program launch(int64_t blocks, bool together = false);

}  // namespace tilewright::sim_tests
