// The text of `check`, without the diagnostics: memory limits, kernels, values that pass between
// kernels, memory peaks, and which properties of the tasks were checked.
#pragma once

#include <string>

#include "tilewright/session/check.h"

namespace tilewright::results {

std::string check_text(const session::CheckResult& result);

}  // namespace tilewright::results
