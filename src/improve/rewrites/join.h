// Joins two scopes into one task or two loops into one, and moves loops into scopes. When a change
// is not possible, the program stays as it was and the result says so.
#pragma once

#include <string>

#include "tilewright/improve/rewrites/effects.h"

namespace tilewright::improve {

// Whether the statement is a scope that may be joined with others: its author states no order for
// its tasks, and it calls no external kernel.
bool is_plain_task(const ir::Stmt& s);

// The scopes at i < j of one block as one, in the order of their statements; statements between
// them go in front or behind. Gives its position.
std::optional<std::size_t> join_scopes(ir::Program& p, ir::Block& block, std::size_t i,
                                       std::size_t j);

// The same for two loops with equal bounds, if no iteration of one touches what another iteration
// of the other does.
std::optional<std::size_t> join_loops(ir::Program& p, ir::Block& block, std::size_t i,
                                      std::size_t j);
bool have_equal_bounds(const ir::For& a, const ir::For& b);

// Whether different iterations of `var` (stepping by `step`) never access the same data of which
// one of the blocks writes some. Then the blocks may be in one loop or in two.
bool iterations_stay_apart(const ir::Program& p, const ir::Block& a, const ir::Block& b,
                           ir::VarId var, int64_t step, const Aliases& aliases);

// for i in range: with at: B  ->  with at: for i in range: B.
bool sink_loop(ir::Stmt& loop);

// "gate" and "up" give "gate_up".
std::string joined_name(const std::string& first, const std::string& second);

}  // namespace tilewright::improve
