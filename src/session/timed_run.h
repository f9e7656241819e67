// When the tasks of a program ran: predicted on a described machine, or measured on this CPU. One
// record for the same tables and pages.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "tilewright/ir/run_record.h"
#include "tilewright/report/profile.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// Stated dependences that no data need.
struct StatedCost {
  int64_t dependences = 0;
  double without_us = 0;  // the total time if they were left out
};

// The total time with what is only assumed about the machine taken to be better, and worse.
struct Doubt {
  double better_us = 0, worse_us = 0;
};

struct TimedRun {
  std::unique_ptr<Session> session;
  std::optional<ir::RunRecord> record;  // absent when the program has errors
  std::optional<report::Profile> profile;
  std::optional<StatedCost> stated = {};  // of a prediction, if it was asked for (stated_cost.h)
  std::optional<Doubt> doubt = {};        // the same (doubt.h)
  std::vector<double> rank_us = {};  // of all ranks, if there are several: the slowest is recorded
  double seconds = 0;  // that the simulation, or the run, took here

  bool passed() const { return profile.has_value(); }
};

struct TimeOptions {
  bool keep_slices = false;  // of a prediction: what every unit did inside a task
  bool keep_phases = false;  // likewise: what every thread of the runtime did
  std::function<void(double fraction)> progress = {};
};

// Predicted where the platform of the request is simulated, else measured.
TimedRun timed_run(const catalog::ProgramDef& def, const Request& request,
                   const TimeOptions& options = {});

}  // namespace tilewright::session
