// How many bytes a placed tile takes in its memory: cube memories hold whole fractals.
#pragma once

#include "tilewright/ir/types.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

int64_t tile_bytes(const ir::Var& tile, const platform::Platform& platform);

}  // namespace tilewright::compile
