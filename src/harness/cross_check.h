// Without a formula a program can still be held against itself: its meaning before any pass, and
// its tasks in random orders that the dependences allow, must give the same bits.
#pragma once

#include <optional>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::harness {

inline constexpr int kOrders = 3;  // random task orders that are tried

// `before` are the arrays as the program found them, `after` as the executor left them. Returns the
// first difference: "q_proj differs in task order 2".
std::optional<std::string> first_difference(const ir::Program& program, const ir::Plan& plan,
                                            const ir::TaskGraph& graph,
                                            const catalog::Arrays& before,
                                            const catalog::Arrays& after,
                                            const std::map<std::string, double>& scalars,
                                            uint64_t seed);

}  // namespace tilewright::harness
