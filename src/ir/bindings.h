// What a program is run on: one host array (or scalar value) per parameter.
#pragma once

#include <memory>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/ir/task_reads.h"

namespace tilewright::ir {

struct Bindings {
  std::vector<HostArray*> arrays;  // by parameter index; null for scalar parameters
  std::vector<double> scalars;     // by parameter index; used for scalar parameters only
  std::shared_ptr<const TaskReads> task_reads = nullptr;  // null: not known
};

}  // namespace tilewright::ir
