// The programs of an analysis in predicted time: what lenses and hovers say of scopes and lines.
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
  std::string binds;  // one sentence; empty until it was asked for
};

struct Prediction {
  AnalysisPtr analysis;
  std::vector<std::shared_ptr<const ProgramTimes>> programs;  // null: it has errors, or no machine
  bool explained = false;                                     // `binds` is there
};
using PredictionPtr = std::shared_ptr<const Prediction>;

// Both throw Stopped when this thread is told so.
PredictionPtr predict(const AnalysisPtr& analysis);
// The same with what binds each program, which takes six more predictions of each.
PredictionPtr explain(const PredictionPtr& prediction);

}  // namespace tilewright::lsp
