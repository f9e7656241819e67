// Two predictions side by side: stage by stage, and whether both sides do the same work. A
// speed-up between sides that do different work is meaningless, so the result always states this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/session/pair_stages.h"
#include "tilewright/session/predict.h"

namespace tilewright::session {

// One program of a comparison, as the user wrote it: "qwen3/scope3@mlp_n=256".
struct Contestant {
  std::string label;
  const catalog::ProgramDef* def = nullptr;
  Request request;
};

struct SideBySide {
  std::string label_a, label_b;
  TimedRun a, b;
  std::optional<TimedRun> like;  // the first program at the second one's sizes, when sizes differ
  std::vector<std::string> size_differences;
  std::vector<std::string> work_differences;
  std::vector<StagePair> stages;  // in the order of a, then what only b has

  bool passed() const { return a.passed() && b.passed(); }
};

// With a side that does not pass, only the results are filled in.
SideBySide side_by_side(const Contestant& a, const Contestant& b);

// Parameters that only one side has or that differ, and multiply-adds. Empty: the same work.
std::vector<std::string> work_differences(const TimedRun& a, const TimedRun& b);

}  // namespace tilewright::session
