// A scope that is one long loop, as several tasks that share its iterations.
#pragma once

#include "tilewright/improve/rewrites/sites.h"

namespace tilewright::improve {

// Whether the loop is the last statement of a scope, what stands before it can be done again by
// every task, and no tile is carried from iteration to iteration.
bool can_share_iterations(const ir::Program& p, const LoopSite& site);

// with at: A; for i in range(n): B  ->  for t in parallel(parts): with at: A; for i in part t: B
// `parts` divides the number of iterations.
ir::Program with_shared_iterations(const ir::Program& p, const LoopSite& site, int64_t parts);

}  // namespace tilewright::improve
