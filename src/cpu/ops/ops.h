// One maker per family of operations: an op with resolved operands becomes a step.
#pragma once

#include <memory>

#include "tilewright/cpu/operand.h"

namespace tilewright::cpu::ops {

using StepPtr = std::unique_ptr<Step>;

StepPtr memory_step(const OpContext& c);
StepPtr layout_step(const OpContext& c);
StepPtr matmul_step(const OpContext& c);
StepPtr elementwise_step(const OpContext& c);
StepPtr reduce_step(const OpContext& c);
StepPtr sort_step(const OpContext& c);

// dst becomes a view of args[0]: slice, load, move, reshape, set_validshape without a copy.
StepPtr alias_step(const OpContext& c);
// The valid block of `from` copied to `to`, which has the same type and keeps its own valid block.
StepPtr store_whole_step(const Operand& from, const Operand& to);

}  // namespace tilewright::cpu::ops
