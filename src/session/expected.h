// What the outputs of a run are held against: the formula of the program's definition.
#pragma once

#include <vector>

#include "tilewright/session/result.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// The outputs that the formula fills, computed from the inputs of the session.
catalog::Arrays formula_outputs(const catalog::ProgramDef& def, Session& session);

// Every output of the session beside its expected value; one without is Skipped.
std::vector<OutputResult> compare_outputs(const catalog::ProgramDef& def, Session& session,
                                          const catalog::Arrays& expected);

}  // namespace tilewright::session
