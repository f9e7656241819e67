// Predicted times of the programs of an analysis, for code lenses and hovers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/lsp/analysis.h"
#include "tilewright/report/binding.h"
#include "tilewright/report/line_shares.h"
#include "tilewright/report/profile.h"

namespace tilewright::lsp {

// The unit that is busiest while tasks of a kernel run.
struct BusiestUnit {
  std::string name;  // "cube MTE2"
  double share = 0;  // of the time that the tasks take alone
  // How many times longer the tasks take than alone, since all cores share the bandwidth of memory.
  double slowdown = 1;
};

struct ProgramTimes {
  report::Profile profile;
  std::map<uint32_t, BusiestUnit> busiest;  // by the number of the kernel
  std::vector<report::LineShare> lines;
  std::string binds;  // one sentence; empty until `explain`
};

struct Prediction {
  AnalysisPtr analysis;
  // Null: the program has errors, or the platform has no times.
  std::vector<std::shared_ptr<const ProgramTimes>> programs;
  bool explained = false;                                     // `binds` is there
};
using PredictionPtr = std::shared_ptr<const Prediction>;

// Both throw Stopped when the stop flag of this thread is set.
PredictionPtr predict(const AnalysisPtr& analysis);
// Adds `binds`, which takes six more predictions per program.
PredictionPtr explain(const PredictionPtr& prediction);

}  // namespace tilewright::lsp
