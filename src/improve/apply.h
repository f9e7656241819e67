// Applies advice: the best change is checked, predicted and applied, then the next, until none
// gains. The last program is then run and compared with the first.
#pragma once

#include <functional>

#include "tilewright/improve/advice.h"
#include "tilewright/improve/same_results.h"

namespace tilewright::improve {

// One applied change.
struct Step {
  std::string code, change;
  Where where;
  double after_us = 0;
  int64_t tasks = 0;
};

struct Applied {
  std::shared_ptr<const ir::Program> original, program;
  std::map<std::string, int64_t> set;  // keys that were changed, before any rewrite
  bool rewritten = false;              // the program itself was changed, not only keys
  std::vector<Step> steps;
  double before_us = 0, after_us = 0, roofline_us = 0;
  int64_t before_tasks = 0;
  // `program` compared with `original`; empty when nothing changed
  std::vector<OutputMatch> outputs;
  std::vector<std::string> undone;  // changes that were reverted because values differed
  // What makes the predictions doubtful, of both programs (session::caveats).
  Diagnostics caveats_before, caveats_after;
  Diagnostics diagnostics;           // with errors: nothing was predicted or changed

  bool changed() const { return !steps.empty(); }
};

struct ApplyOptions {
  bool compare = true;  // compares the values of the last program with those of the first
  double until_us = 0;  // stops when this time is reached
  std::function<void(const Step&)> heard = {};
  std::function<void()> comparing = {};
};

Applied apply_advice(const catalog::ProgramDef& def, const session::Request& request,
                     const ApplyOptions& options = {});

}  // namespace tilewright::improve
