// Random tile programs from the DSL: mostly legal ones, some not. The same seed gives the same
// program.
#pragma once

#include <cstdint>

#include "tilewright/ir/program.h"

namespace tilewright::fuzz {

ir::Program random_program(uint64_t seed);

}  // namespace tilewright::fuzz
