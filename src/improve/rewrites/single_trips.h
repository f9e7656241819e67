// Loops that rewrites have left with one trip: the larger tile of a rewrite may cover all of it.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// Replaces each loop of one trip by its body. A loop that has one trip in `original` too is kept:
// its author wrote it so. False if there was nothing to replace.
bool inline_single_trips(ir::Program& program, const ir::Program& original);

}  // namespace tilewright::improve
