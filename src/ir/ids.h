// The ids of the intermediate representation.
#pragma once

#include "tilewright/base/ids.h"

namespace tilewright::ir {

using VarId = Id<struct VarTag>;
using ExternalId = Id<struct ExternalTag>;  // a kernel without a body here
using KernelId = Id<struct KernelTag>;
using TaskId = Id<struct TaskTag>;
using BufferId = Id<struct BufferTag>;  // one GM allocation at run time

}  // namespace tilewright::ir
