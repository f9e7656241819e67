// What binds a program: its time is predicted again without one kind of cost at a time. The cost
// whose removal saves most time binds.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/platform/platform.h"

namespace tilewright::report {

struct WhatIf {
  std::string name;      // "HBM"
  std::string left_out;  // the removed cost, in words
  double total_us = 0;   // predicted without it
};

// The share of time in which the units of one kind are busy, over all cores that have such a unit.
struct PipeShare {
  std::string pipe;  // "MTE2"
  ir::CoreSide side = ir::CoreSide::Cube;
  double share = 0;
};

// The name of the cost whose removal saves most time; empty without what-ifs.
std::string binding_cost(const std::vector<WhatIf>& what_ifs);

// One sentence: the cost that binds, and the next ones. `total_us` includes all costs. Empty
// without what-ifs, as for a measurement.
std::string binding_sentence(double total_us, const std::vector<WhatIf>& what_ifs);

std::vector<PipeShare> pipe_shares(const ir::Plan& plan, const ir::RunRecord& record,
                                   const platform::Platform& platform);

}  // namespace tilewright::report
