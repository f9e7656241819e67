// Sums along a dimension that grows: in each iteration of a loop they are parts of a whole. They
// may be of more elements at once where parts are only put together, and nowhere else.
#pragma once

#include "tilewright/improve/rewrites/growing_tiles.h"

namespace tilewright::improve {

bool parts_are_only_joined(const ir::Program& p, const LoopBody& body, const FirstIteration& first,
                           const Growth& growth);

}  // namespace tilewright::improve
