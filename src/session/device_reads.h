// Programs whose tasks depend on data that tasks compute: the orchestrator reads it.
#pragma once

#include "tilewright/base/diagnostic.h"

namespace tilewright::session {

// UserError when unrolling had to assume a number for such a read: the tasks that are executed
// here are known before they run.
void require_known_tasks(const Diagnostics& unrolled);

}  // namespace tilewright::session
