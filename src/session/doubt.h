// The interval of a prediction. It combines two errors: the error of predictions for this machine
// where measurements exist (platform::PredictionSpread), and the effect of the machine's assumed
// numbers on this program.
#pragma once

#include "tilewright/session/timed_run.h"

namespace tilewright::session {

// Simulates the program twice more, with all assumed numbers of its machine better and worse by 30
// %, and adds the resulting interval to its profile.
Doubt add_interval(Session& session, report::Profile& profile);
// The same for a finished prediction. Does nothing for a measurement.
void add_doubt(TimedRun& run);

// The interval of time a / time b, for two predictions on the same machine. Errors that both
// predictions share cancel.
report::Interval ratio_interval(const TimedRun& a, const TimedRun& b);

}  // namespace tilewright::session
