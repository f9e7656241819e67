// Advice: what costs time in a program, where, how much, and what to change. A finding whose change
// is mechanical carries the changed program, and its gain is predicted like any other time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/place.h"
#include "tilewright/ir/forward.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {

// The source place and the scope of a finding; either may be missing.
struct Where {
  Place place = {};
  std::string scope = {};

  std::string text() const;  // `at layer.py:42:9, scope "gate"`; empty when both are missing
};

struct Finding {
  std::string code;                 // "zero-init"; docs/advice.md has one entry for each
  std::string what;                 // with numbers
  Where where;
  std::string change;               // what to do
  double now_us = 0, after_us = 0;  // of the whole program
  bool estimated = true;            // false: the changed program was predicted
  std::shared_ptr<const ir::Program> rewritten = nullptr;  // null when the change is not mechanical
  std::map<std::string, int64_t> set = {};  // keys whose new values are the change

  double gain_us() const { return now_us - after_us; }
  bool mechanical() const { return rewritten || !set.empty(); }
};

// A program that has been predicted, and the means to predict a changed one.
struct Subject {
  const ir::Program& program;  // as it was written
  const ir::Plan& plan;
  const ir::TaskGraph& graph;
  const ir::RunRecord& record;
  const report::Profile& profile;
  const platform::Platform& machine;
  const ir::Bindings& bindings;
  // The predicted time of the same program on another machine.
  std::function<double(const platform::Platform&)> time_on;

  double total_us() const { return profile.all.total_us; }
};

using Findings = std::vector<Finding>;

struct Advice {
  std::unique_ptr<session::Session> session;
  std::optional<report::Profile> profile;  // absent when the program has errors
  Findings findings;                       // the largest gain first
  // Findings whose gain is below `least_gain`, the error of predictions.
  Findings small;
  int64_t untried = 0;  // changes that were not predicted for lack of time
};

struct AdviseOptions {
  // Time limit of the search; changes that would be predicted later are counted as untried.
  std::chrono::duration<double> time = std::chrono::hours(24);
  std::function<void(double)> progress = {};
};

// The smallest gain, as a fraction of the time, that exceeds the simulator's error.
double least_gain(const platform::Platform& machine);

Advice advise(const catalog::ProgramDef& def, const session::Request& request,
              const AdviseOptions& options = {});
std::string to_json(const Advice& advice);  // of a program without errors

}  // namespace tilewright::improve
