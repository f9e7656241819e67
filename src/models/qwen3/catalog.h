// Every Qwen3 program, ready to be listed, checked and run.
#pragma once

#include <vector>

#include "tilewright/catalog/catalog.h"

namespace tilewright::models::qwen3 {

std::vector<catalog::ProgramDef> qwen3_programs();

}  // namespace tilewright::models::qwen3
