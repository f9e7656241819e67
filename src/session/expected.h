// What the outputs of a run are held against: the formula of the program's definition, or files.
#pragma once

#include <vector>

#include "tilewright/data/data_dir.h"
#include "tilewright/session/result.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// The outputs that the formula fills, computed from the inputs of the session.
catalog::Arrays formula_outputs(const catalog::ProgramDef& def, Session& session);

// The outputs that have files: some of them, or all. UserError when there is none, or when one file
// would be both the input, read from `inputs`, and the expected value; `diagnostics` hears of files
// that do not fit.
catalog::Arrays file_outputs(const data::DataReader& files, const ir::Program& program,
                             const data::DataReader* inputs, Diagnostics& diagnostics);

// Every output of the session beside its expected value; one without is Skipped.
std::vector<OutputResult> compare_outputs(const catalog::ProgramDef& def, Session& session,
                                          const catalog::Arrays& expected);

}  // namespace tilewright::session
