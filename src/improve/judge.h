// Judges of candidates: the simulator for a described machine, the clock for this CPU.
#pragma once

#include "tilewright/harness/predict.h"
#include "tilewright/improve/tune.h"

namespace tilewright::improve {

// The predicted time of `def` with the keys of a point. What the builder, the checker or the
// machine refuses is refused with the code of its first error; so is a race under the rules that
// the time is predicted with. `def` and `request` must outlive it.
Judge predicted_time(const catalog::ProgramDef& def, const harness::SimRequest& request);

// The time of `def` on this CPU, the best of a few runs. One candidate at a time.
Judge measured_time(const catalog::ProgramDef& def, const harness::SimRequest& request);

}  // namespace tilewright::improve
