// Programs whose tasks depend on data that tasks compute: the orchestrator reads it.
#pragma once

#include "tilewright/ir/forward.h"

namespace tilewright::session {

// UserError for such a program: the tasks that are executed here are known before they run.
void require_known_tasks(const ir::Program& program);

}  // namespace tilewright::session
