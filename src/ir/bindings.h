// What a program is run on: one host array (or scalar value) per parameter.
#pragma once

#include <vector>

#include "tilewright/base/array.h"

namespace tilewright::ir {

struct Bindings {
  std::vector<HostArray*> arrays;  // by parameter index; null for scalar parameters
  std::vector<double> scalars;     // by parameter index; used for scalar parameters only
};

}  // namespace tilewright::ir
