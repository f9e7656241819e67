// The prediction of a program's time on a described machine: compiled, unrolled, ordered by the
// runtime's rules, simulated. Needs no data except the scalars that decide which tasks there are.
#pragma once

#include "tilewright/session/timed_run.h"
#include "tilewright/sim/sim.h"

namespace tilewright::session {

// Whether the platform of the request is simulated and has timing.
bool can_predict(const Request& request);

// UserError for a platform that is not simulated.
void require_machine(const Request& request);

// The simulator's options for a session: its runtime's scheduling, external times and bindings.
sim::Options simulation_options(Session& session);

// Simulates a session that is ready, on its own machine or on one that differs only in timing.
ir::RunRecord simulate(Session& session, const platform::Platform& machine,
                       const TimeOptions& options = {});

// The total time of that simulation in microseconds.
double predicted_us(Session& session, const platform::Platform& machine);

// Warnings and notes for a prediction: a warning when the rules leave conflicting tasks unordered,
// or when the program does work in vain and so most likely another one than was meant, and notes on
// control flow that depends on computed data, for which the prediction makes assumptions.
Diagnostics caveats(const Session& session);

// For a session that is ready; the result takes it over.
TimedRun predict(std::unique_ptr<Session> session, const TimeOptions& options = {});

// Throws the UserErrors of `require_machine`.
TimedRun predict(const catalog::ProgramDef& def, const Request& request,
                 const TimeOptions& options = {});

}  // namespace tilewright::session
