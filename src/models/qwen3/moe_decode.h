// Sizes of the layer of experts for one choice of keys.
#pragma once

#include "tilewright/models/qwen3/tiling.h"
#include "tilewright/programs/experts.h"

namespace tilewright::models::qwen3 {

programs::Experts experts_of(const Choice& c);

}  // namespace tilewright::models::qwen3
