// Wider tiles: one iteration of a loop takes the tiles of several, and the loop has fewer
// iterations by the same factor.
#pragma once

#include "tilewright/improve/rewrites/growing_tiles.h"
#include "tilewright/improve/rewrites/sites.h"

namespace tilewright::improve {

struct Widening {
  Growth growth;
  // Of the loop, with a first iteration that stands before it; 0: scalars decide, and the last tile
  // is valid in part.
  int64_t trips = 0;
  bool first_before = false;  // it does
};
std::optional<Widening> find_widening(const ir::Program& p, const LoopSite& site);

// The program with `factor` iterations in one; nothing if the types do not allow it. `factor`
// divides the number of iterations, if that is known.
std::optional<ir::Program> widened(const ir::Program& p, const LoopSite& site, const Widening& w,
                                   int64_t factor);

// Every op that has one of the tiles agrees with their types.
bool types_agree(const ir::Program& p, const Growth& growth);

}  // namespace tilewright::improve
