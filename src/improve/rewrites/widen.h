// Wider tiles: one iteration of a loop takes the tiles of several, and the loop has fewer
// iterations by the same factor.
#pragma once

#include "tilewright/improve/rewrites/growing_tiles.h"
#include "tilewright/improve/rewrites/sites.h"

namespace tilewright::improve {

struct Widening {
  Growth growth;
  // Iterations of the loop, including a first iteration before it; 0 when scalars decide, in which
  // case the last tile is partly valid.
  int64_t trips = 0;
  bool first_before = false;  // the first iteration is before the loop
};
std::optional<Widening> find_widening(const ir::Program& p, const LoopSite& site);

// The program with `factor` iterations in one; nothing if the types do not allow it. `factor`
// divides the number of iterations, if that is known.
std::optional<ir::Program> widened(const ir::Program& p, const LoopSite& site, const Widening& w,
                                   int64_t factor);

// Every op that has one of the tiles agrees with their types.
bool types_agree(const ir::Program& p, const Growth& growth);

}  // namespace tilewright::improve
