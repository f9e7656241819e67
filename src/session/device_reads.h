// Programs whose tasks depend on data that tasks compute: the orchestrator reads it.
#pragma once

#include "tilewright/golden/exp.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// Executes such a program once in program order and binds the values that its orchestrator read, so
// that it can be unrolled. Does nothing for other programs. Must be called after the inputs are
// bound and before unrolling.
void learn_task_reads(Session& session, golden::Exp exp);

}  // namespace tilewright::session
