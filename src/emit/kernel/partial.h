// Which tiles of a kernel may be valid in part only: those of a load that says so, and what follows
// from them (ir/valid_extent.h).
#pragma once

#include <set>

#include "tilewright/ir/lowered.h"

namespace tilewright::emit {

std::set<ir::VarId> partial_tiles(const ir::LoweredKernel& kernel);

}  // namespace tilewright::emit
