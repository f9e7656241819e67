// The questions asked of a timeline; each adds what it finds.
#pragma once

#include "tilewright/base/diagnostic.h"
#include "tilewright/compile/ranks/timeline.h"

namespace tilewright::compile {

// Waits that nothing ends: too few notifies, or ranks that wait for each other. Returns when each
// step was executed, in an execution that lets every rank go on as far as it can.
std::vector<uint32_t> find_stuck_waits(const Timeline& timeline, Diagnostics& out);
// Accesses of different ranks to the same part of a window, one of them writing, without an order.
// For timelines in which nobody is stuck, with an execution of them.
void find_rank_races(const Timeline& timeline, const std::vector<uint32_t>& executed,
                     Diagnostics& out);
// Sums of the parts of several ranks that are not added in the same order everywhere.
void find_rank_sums(const ir::Plan& plan, std::span<const ir::TaskGraph> ranks, Diagnostics& out);

}  // namespace tilewright::compile
