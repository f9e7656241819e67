// The tiles that must grow, and their dimensions, so that one iteration of a loop does the work of
// several: tiles whose windows move with the loop, and all tiles that depend on their size.
#pragma once

#include <map>
#include <optional>

#include "tilewright/improve/rewrites/first_iteration.h"
#include "tilewright/improve/rewrites/loop_body.h"

namespace tilewright::improve {

using Growth = std::map<ir::VarId, std::size_t>;  // tile -> its dimension that grows

// Nothing if a tile that must grow cannot. `first` is empty if the loop has no separate first
// iteration.
std::optional<Growth> growing_tiles(const ir::Program& p, const LoopBody& body,
                                    const FirstIteration& first);

}  // namespace tilewright::improve
