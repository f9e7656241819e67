// How a runtime treats each argument of a submission.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::ir {

enum class SubmitRole : uint8_t {
  Input,           // waits for the producers of what it reads
  InOut,           // waits for them, and becomes a producer
  OutputExisting,  // becomes a producer, and waits for none
  Output,          // the task makes the tensor: whoever uses it waits for this task
};
std::string_view submit_role_name(SubmitRole role);

// By kernel, then by argument. A kernel is submitted by one statement of the orchestration.
using SubmitRoles = std::vector<std::vector<SubmitRole>>;

}  // namespace tilewright::ir
