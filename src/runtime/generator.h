// A list of requests answered together.
#pragma once

#include <atomic>

#include "tilewright/runtime/request.h"

namespace tilewright::runtime {

// Throws UserError, before any work, for a request that cannot be answered. `interrupted` ends all
// sequences after the step that is running.
std::vector<Answer> generate(Engine& engine, const std::vector<Request>& requests,
                             const std::atomic<bool>* interrupted = nullptr);

}  // namespace tilewright::runtime
