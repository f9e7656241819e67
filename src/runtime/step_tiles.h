// How the step of a model is cut for a machine: for this CPU by what was measured, for a described
// device by what fits its memories.
#pragma once

#include <vector>

#include "tilewright/cpu/instruction_set.h"
#include "tilewright/models/transformer/step_program.h"
#include "tilewright/platform/platform.h"

namespace tilewright::runtime {

models::transformer::StepTiles cpu_tiles(const cpu::InstructionSet& instructions,
                                         const models::transformer::StepTypes& types);

// What is worth trying on a device for so many sequences of `context` tokens, most rows first:
// which of them fits is a question for the compiler, and which is the fastest for the simulator.
std::vector<models::transformer::StepTiles> device_tiles(const platform::Platform& machine,
                                                         const checkpoint::ModelConfig& model,
                                                         DType type, int64_t rows, int64_t context);

// Positions of a page whose K and V the products of a device can take at once.
int64_t device_page(const platform::Platform& machine, const checkpoint::ModelConfig& model,
                    DType type);

}  // namespace tilewright::runtime
