// The check of a program: compiled for a platform, unrolled with its default scalars, and searched
// for tasks that the platform's runtime would leave unordered. Nothing is computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/harness/request.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::harness {

struct CheckRequest : Request {
  // Name of the runtime rules whose races are errors; empty = the platform's own, as warnings.
  std::string rules;
};

struct CheckResult {
  std::string program, shape, platform;
  std::vector<catalog::Key> keys;
  platform::Platform machine;
  platform::RuntimeRules rules;
  std::optional<ir::Plan> plan;        // absent when the program has errors
  std::optional<ir::TaskGraph> graph;  // points into `plan`
  std::optional<compile::HazardReport> hazards;
  Diagnostics diagnostics;  // of all steps

  bool passed() const { return graph.has_value() && !diagnostics.has_errors(); }
};

CheckResult check(const catalog::ProgramDef& def, const CheckRequest& request);

}  // namespace tilewright::harness
