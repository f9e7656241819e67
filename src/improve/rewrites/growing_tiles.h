// Which tiles must grow, and in which dimension, so that one iteration of a loop does the work of
// several: those whose windows move with the loop, and all that hang together with them.
#pragma once

#include <map>
#include <optional>

#include "tilewright/improve/rewrites/first_iteration.h"
#include "tilewright/improve/rewrites/loop_body.h"

namespace tilewright::improve {

using Growth = std::map<ir::VarId, std::size_t>;  // tile -> its dimension that grows

// Nothing if a tile would have to grow that cannot. `first` is empty if the loop has no first
// iteration apart.
std::optional<Growth> growing_tiles(const ir::Program& p, const LoopBody& body,
                                    const FirstIteration& first);

}  // namespace tilewright::improve
