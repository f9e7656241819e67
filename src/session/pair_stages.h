// Pairs the kernels of two programs that do the same work. Names and numbers say little after a
// program was reordered, printed or fused, so kernels are compared by what they read and write,
// which parameters that data comes from, and their operations; the name only breaks ties.
#pragma once

#include <string>
#include <vector>

#include "tilewright/session/timed_run.h"

namespace tilewright::session {

// Kernels that do the same; one side may lack it.
struct StagePair {
  std::string name;                  // "gate", or "residual / down_residual" where names differ
  const report::Stage* a = nullptr;  // in the results that were paired
  const report::Stage* b = nullptr;
};

// Of two results that passed: in the order of a, then what only b has.
std::vector<StagePair> paired_stages(const TimedRun& a, const TimedRun& b);

}  // namespace tilewright::session
