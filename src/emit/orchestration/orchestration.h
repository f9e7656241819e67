// The orchestration as one C++ file for the runtime `simpler`: tensors, views, scalars, loops, and
// one submission per call of a kernel.
#pragma once

#include <string>
#include <vector>

#include "tilewright/emit/emit.h"
#include "tilewright/emit/kernel_list.h"
#include "tilewright/emit/refusal.h"

namespace tilewright::emit {

std::string orchestration_file(const ir::Plan& plan, const Options& options,
                               const std::vector<Function>& functions, Refusals& refusals);

}  // namespace tilewright::emit
