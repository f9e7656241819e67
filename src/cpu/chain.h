// Loops that only load blocks and multiply: sum = left(0) right(0) + left(1) right(1) + ... over
// ascending blocks of k is one long product, and is run as one.
#pragma once

#include <functional>
#include <memory>

#include "tilewright/cpu/aliases.h"
#include "tilewright/cpu/operand.h"

namespace tilewright::cpu {

// The loop as a step, or null when it is not such a chain. `context` gives an op's operands.
std::unique_ptr<Step> chain_step(const ir::Program& program, const ir::For& loop,
                                 const Aliases& aliases,
                                 const std::function<OpContext(const ir::Op&)>& context);

}  // namespace tilewright::cpu
