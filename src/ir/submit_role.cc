#include "tilewright/ir/submit_role.h"

#include <cstddef>

namespace tilewright::ir {

std::string_view submit_role_name(SubmitRole role) {
  constexpr std::string_view kNames[] = {"Input", "InOut", "OutputExisting", "Output"};
  return kNames[static_cast<std::size_t>(role)];
}

}  // namespace tilewright::ir
