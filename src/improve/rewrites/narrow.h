// Narrower tiles: the inverse of widening (widen.h).
#pragma once

#include "tilewright/improve/rewrites/widen.h"

namespace tilewright::improve {

// The program in which every iteration has become `parts` of them; nothing if a tile or an offset
// cannot be divided.
std::optional<ir::Program> narrowed(const ir::Program& p, const LoopSite& site, const Widening& w,
                                    int64_t parts);

}  // namespace tilewright::improve
