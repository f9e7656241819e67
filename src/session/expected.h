// The expected outputs of a run: from the formula of the program's definition, or from files.
#pragma once

#include <vector>

#include "tilewright/data/data_dir.h"
#include "tilewright/session/result.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// The outputs that the formula fills, computed from the inputs of the session.
catalog::Arrays formula_outputs(const catalog::ProgramDef& def, Session& session);

// The outputs for which there are files: some or all. UserError when there is none, or when one
// file would be both an input (read from `inputs`) and an expected value. Files that do not fit are
// reported to `diagnostics`.
catalog::Arrays file_outputs(const data::DataReader& files, const ir::Program& program,
                             const data::DataReader* inputs, Diagnostics& diagnostics);

// Compares every output of the session with its expected value; an output without one is Skipped.
std::vector<OutputResult> compare_outputs(const catalog::ProgramDef& def, Session& session,
                                          const catalog::Arrays& expected);

}  // namespace tilewright::session
