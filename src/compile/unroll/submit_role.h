// How a runtime treats each argument of a submission. The original decides this from the text of
// the orchestration, not from the tasks that it makes: a writer counts as an earlier one when it is
// an earlier statement, so iterations of one parallel loop are never earlier writers of each other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tilewright/ir/forward.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

enum class SubmitRole : uint8_t {
  Input,           // waits for the producers of what it reads
  InOut,           // waits for them, and becomes a producer
  OutputExisting,  // becomes a producer, and waits for none
  Output,          // the task makes the tensor: whoever uses it waits for this task
};
std::string_view submit_role_name(SubmitRole role);

// By kernel, then by argument. A kernel is submitted by one statement of the orchestration.
using SubmitRoles = std::vector<std::vector<SubmitRole>>;
SubmitRoles submit_roles(const ir::Plan& plan, const platform::RuntimeRules& rules);

}  // namespace tilewright::compile
