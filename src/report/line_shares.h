// Where in the source the cores' time goes. Needs a record whose profiles kept their slices.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/run_record.h"

namespace tilewright::report {

struct LineShare {
  std::string file;
  uint32_t line = 0;
  double busy_us = 0;                 // core time of all tasks together
  double share = 0;                   // of the core time of the program
  std::vector<ir::KernelId> kernels;  // that execute it
};

// Every moment of a task is divided among the instructions that run then, on whatever pipe. A
// moment in which none runs belongs to the one that ended last: its result is on its way. What is
// before the first instruction belongs to the scope itself. In the order of files and lines; sums
// to all.
std::vector<LineShare> line_shares(const ir::Plan& plan, const ir::RunRecord& record);

}  // namespace tilewright::report
