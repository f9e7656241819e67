// Arrays that belong to a prepared program, bound to its parameters by name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/session/session.h"

namespace tilewright::runtime {

// The index of a parameter; a name that the program does not have is our bug.
std::size_t parameter_index(const ir::Program& program, std::string_view name);

class StepArrays {
 public:
  // `session` must outlive the arrays.
  explicit StepArrays(session::Session& session) : session_(&session) {}

  // A zeroed array of the parameter's type and shape, bound to it.
  HostArray& make(std::string_view name);

 private:
  session::Session* session_;
  std::vector<std::unique_ptr<HostArray>> arrays_;  // whose addresses stay
};

}  // namespace tilewright::runtime
