// A program executed on this CPU and when each of its tasks ran.
#pragma once

#include "tilewright/session/timed_run.h"

namespace tilewright::session {

// On generated inputs, once to warm up and once for the record.
TimedRun measure(const catalog::ProgramDef& def, const Request& request);

}  // namespace tilewright::session
