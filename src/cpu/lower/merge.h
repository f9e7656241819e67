// Two parts of an attention made one, as one step: a dozen ops on a few numbers cost more to start
// than to run.
#pragma once

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/ir/lowered.h"

namespace tilewright::cpu {

std::unique_ptr<Step> merge_step(const ir::MergeGroup& merge, const ContextOf& context);

}  // namespace tilewright::cpu
