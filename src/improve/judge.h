// Judges of candidates: the simulator for a described machine, the clock for this CPU.
#pragma once

#include "tilewright/improve/tune.h"
#include "tilewright/session/request.h"

namespace tilewright::improve {

// The reason of a refusal: a point that does less than the program does.
inline constexpr const char* kOtherWork = "other-work";

// The time of `def` with the keys of a point: predicted where the platform of the request is
// simulated, else measured, the best of a few runs, one candidate at a time. What the builder, the
// checker or the machine refuses is refused with the code of its first error; so are races under the
// rules that a time is predicted with, unless the program itself has as many, and a point of derived
// keys that does less than the program does. `def` and `request` must outlive it.
Judge judge_of(const catalog::ProgramDef& def, const session::Request& request,
               const Space& space = {});

}  // namespace tilewright::improve
