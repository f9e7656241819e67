// What binds a program: its time predicted again with one kind of cost left out at a time. The cost
// whose absence helps most is the one that binds.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/platform/platform.h"

namespace tilewright::report {

struct WhatIf {
  std::string name;      // "HBM"
  std::string left_out;  // what the prediction went without, in words
  double total_us = 0;   // predicted without it
};

// How much of the time the units of one kind are busy, over all cores that have one.
struct PipeShare {
  std::string pipe;  // "MTE2"
  ir::CoreSide side = ir::CoreSide::Cube;
  double share = 0;
};

// The name of the cost whose absence helps most; empty when nothing was left out.
std::string binding_cost(const std::vector<WhatIf>& what_ifs);

// One sentence: the cost that binds, and those that come next. `total_us` is with all costs. Empty
// when nothing was left out, as for a record of a real machine.
std::string binding_sentence(double total_us, const std::vector<WhatIf>& what_ifs);

std::vector<PipeShare> pipe_shares(const ir::Plan& plan, const ir::RunRecord& record,
                                   const platform::Platform& platform);

}  // namespace tilewright::report
