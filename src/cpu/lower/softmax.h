// The weights, maxima and sums of a block of attention as one step over each row, so that the
// intermediate values never leave L1.
#pragma once

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/ir/lowered.h"

namespace tilewright::cpu {

std::unique_ptr<Step> softmax_step(const ir::SoftmaxGroup& softmax, const ContextOf& context);

}  // namespace tilewright::cpu
