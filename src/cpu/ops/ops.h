// An op with resolved operands becomes a step. Used by the lowering of kernels.
#pragma once

#include <memory>

#include "tilewright/cpu/lower/operand.h"

namespace tilewright::cpu::ops {

using StepPtr = std::unique_ptr<Step>;

// dst is computed from the operands, in its own tile; assemble and store write into an argument.
StepPtr op_step(const OpContext& c);
// dst becomes a view of args[0]: no element is copied.
StepPtr view_step(const OpContext& c);
// The valid block of `from` becomes the value of `to`, a tile of the same type.
StepPtr copy_step(const Operand& from, const Operand& to);
// The same, but `to` is an argument, which keeps its own valid block.
StepPtr store_whole_step(const Operand& from, const Operand& to);

}  // namespace tilewright::cpu::ops
