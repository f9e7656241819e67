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

struct TimedRun {
  std::unique_ptr<Session> session;
  std::optional<ir::RunRecord> record;  // absent when the program has errors
  std::optional<report::Profile> profile;
  double seconds = 0;  // that the simulation, or the run, took here

  bool passed() const { return profile.has_value(); }
};

struct TimeOptions {
  bool keep_slices = false;  // of a prediction: what every unit did inside a task
  std::function<void(double fraction)> progress = {};
};

// Predicted where the platform of the request is simulated, else measured.
TimedRun timed_run(const catalog::ProgramDef& def, const Request& request,
                   const TimeOptions& options = {});

}  // namespace tilewright::session
