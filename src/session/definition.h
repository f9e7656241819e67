// Checks that a ProgramDef agrees with the program that it builds.
#pragma once

#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/forward.h"

namespace tilewright::session {

// UserError when the definition speaks of a parameter that the program does not have: the name
// would otherwise be ignored, and a default used silently.
void require_consistent(const catalog::ProgramDef& def, const catalog::Config& config,
                        const ir::Program& program);

}  // namespace tilewright::session
