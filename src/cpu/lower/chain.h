// A chain of products as one step: sum = left(0) right(0) + left(1) right(1) + ... over ascending
// blocks of k is one long product, whatever the blocks are.
#pragma once

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/ir/lowered.h"

namespace tilewright::cpu {

std::unique_ptr<Step> chain_step(const ir::ChainGroup& chain, const ContextOf& context);

}  // namespace tilewright::cpu
