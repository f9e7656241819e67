// Programs whose tasks depend on data that tasks compute: the orchestrator reads it.
#pragma once

#include "tilewright/golden/exp.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// Executes such a program once, in its own order, and binds what its orchestrator read, so that
// unrolling knows its tasks. Others are left alone. Comes after the inputs and before unrolling.
void learn_task_reads(Session& session, golden::Exp exp);

}  // namespace tilewright::session
