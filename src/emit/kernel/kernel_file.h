// The C++ file of one side of a kernel.
#pragma once

#include <string>

#include "tilewright/emit/refusal.h"
#include "tilewright/ir/plan.h"

namespace tilewright::emit {

std::string kernel_file(const ir::Plan& plan, ir::KernelId kernel, ir::CoreSide side,
                        Refusals& refusals);

}  // namespace tilewright::emit
