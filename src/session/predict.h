// The prediction of a program's time on a described machine: compiled, unrolled, ordered by the
// runtime's rules, simulated. Needs no data except the scalars that decide which tasks there are.
#pragma once

#include "tilewright/session/timed_run.h"
#include "tilewright/sim/sim.h"

namespace tilewright::session {

// Whether the platform of the request says how long things take.
bool can_predict(const Request& request);

// UserError for a platform that is not simulated.
void require_machine(const Request& request);

// How a session's program is simulated, by the rules of its day.
sim::Options simulation_options(Session& session);

// A session that is ready, on its own machine or on one that differs from it in its times.
ir::RunRecord simulate(Session& session, const platform::Platform& machine,
                       const TimeOptions& options = {});

// The same, of which only the total time is wanted, in microseconds.
double predicted_us(Session& session, const platform::Platform& machine);

// What stands beside a prediction: a warning when the rules leave tasks unordered that touch the same
// data, and notes on what is taken for granted, because only data that tasks compute knows it.
Diagnostics caveats(const Session& session);

// Of a session that is ready, in which the result then keeps it.
TimedRun predict(std::unique_ptr<Session> session, const TimeOptions& options = {});

// UserError where `require_machine` throws one.
TimedRun predict(const catalog::ProgramDef& def, const Request& request,
                 const TimeOptions& options = {});

}  // namespace tilewright::session
