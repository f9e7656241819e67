// What it costs to follow stated dependences that no data need: the time predicted without them.
// They may also save time, by keeping a task off the cores until others have run.
#pragma once

#include "tilewright/session/timed_run.h"

namespace tilewright::session {

// Simulates a prediction once more if it has such dependences, and adds what came of it.
void add_stated_cost(TimedRun& run);

}  // namespace tilewright::session
