// Loops of the orchestration: a loop that becomes two, tensors of one iteration that become tensors
// of all, loops that change places.
#pragma once

#include "tilewright/improve/rewrites/effects.h"

namespace tilewright::improve {

// The loop at `at` as two: what stands before `cut` for all iterations, then the rest. Tensors that
// an iteration makes and that both need are made before, with columns for every iteration. The
// first of the two is parallel if its iterations do not meet.
bool split_loop(ir::Program& p, ir::Block& block, std::size_t& at, std::size_t cut);

// for i in range: for j in parallel: B  ->  for j in parallel: for i in range: B, as deep as it
// goes. Tensors that are made between the loops go inside. Gives the inner loop with its scopes, or
// nullptr.
ir::Stmt* interchange(ir::Program& p, ir::Stmt& loop);

}  // namespace tilewright::improve
