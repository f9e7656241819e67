// Every Qwen3 program, ready to be listed, checked and run.
#pragma once

#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/models/qwen3/tiling.h"

namespace tilewright::models::qwen3 {

std::vector<catalog::ProgramDef> qwen3_programs();

// What a decode step of a whole model is made of, for one model: the best layer that is known, run
// once per layer, and the LM head.
struct StepPrograms {
  catalog::ProgramDef layer, head;
};
StepPrograms step_programs(const GivenModel& model);

}  // namespace tilewright::models::qwen3
