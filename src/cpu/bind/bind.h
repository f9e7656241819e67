// What is wrong with bindings, told before anything runs.
#pragma once

#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"

namespace tilewright::cpu {

// Throws UserError unless `array` has the element type and shape of the parameter.
void require_array(const ir::Program& program, const ir::Var& var, const HostArray* array);
// Throws UserError when `needed` bytes for `what` are more than are `available`.
void require_memory(const ir::Program& program, const char* what, int64_t needed,
                    int64_t available);

}  // namespace tilewright::cpu
