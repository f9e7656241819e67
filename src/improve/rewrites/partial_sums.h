// Reductions along a growing dimension. Each iteration of the loop computes a partial result; it
// may cover more elements only if partial results are merely combined with each other.
#pragma once

#include "tilewright/improve/rewrites/growing_tiles.h"

namespace tilewright::improve {

bool parts_are_only_joined(const ir::Program& p, const LoopBody& body, const FirstIteration& first,
                           const Growth& growth);

}  // namespace tilewright::improve
