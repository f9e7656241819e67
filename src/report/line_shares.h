// Source-line attribution of core time. Needs a record whose profiles kept their slices.
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
  std::vector<ir::KernelId> kernels;  // that execute the line
};

// Time of a task is divided equally among the instructions that run at that moment, on any pipe.
// Time in which none runs belongs to the instruction that ended last, since its latency is still
// running. Time before the first instruction belongs to the line of the scope. Sorted by file and
// line; the shares add up to 1.
std::vector<LineShare> line_shares(const ir::Plan& plan, const ir::RunRecord& record);

}  // namespace tilewright::report
