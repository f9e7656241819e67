// How far a prediction may be off. Two things decide it: how far predictions for the machine were
// off where programs have been measured (platform::PredictionSpread), and how much of this one rests
// on numbers of the machine that are only assumed.
#pragma once

#include "tilewright/session/timed_run.h"

namespace tilewright::session {

// Simulates the program twice more, with everything that is assumed about its machine better, and
// worse, by about a third; and adds the interval that follows to its profile.
Doubt add_interval(Session& session, report::Profile& profile);
// The same for a prediction that was made; a measurement has no such doubt.
void add_doubt(TimedRun& run);

// Of time a / time b, of two predictions for one machine. What is wrong with both cancels.
report::Interval ratio_interval(const TimedRun& a, const TimedRun& b);

}  // namespace tilewright::session
