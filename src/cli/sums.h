// The choice between results that every machine reproduces and the fastest products.
#pragma once

#include "tilewright/cli/context.h"
#include "tilewright/cpu/instruction_set.h"

namespace tilewright::cli {

// What --sums chooses, else `otherwise`. TILEWRIGHT_SIMD, which names one instruction set, comes
// before both.
cpu::InstructionSet chosen_instructions(const Context& c, cpu::InstructionSet otherwise);

}  // namespace tilewright::cli
