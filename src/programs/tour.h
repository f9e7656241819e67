// The tour: RMSNorm, then a matmul with a residual. Small enough to read in a minute, with one of
// everything a layer is made of: scopes, a value that escapes its scope, parallel tasks, a
// pipelined loop, a mixed cube and vector kernel, rounding to BF16.
#pragma once

#include "tilewright/catalog/catalog.h"

namespace tilewright::programs {

catalog::ProgramDef tour();

}  // namespace tilewright::programs
