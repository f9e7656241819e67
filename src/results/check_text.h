// What `check` tells people of a program on a platform: memory limits, kernels, values that cross
// kernels, memory peaks, and what was checked of its tasks. The diagnostics are not in it.
#pragma once

#include <string>

#include "tilewright/session/check.h"

namespace tilewright::results {

std::string check_text(const session::CheckResult& result);

}  // namespace tilewright::results
