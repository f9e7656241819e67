#include "tilewright/session/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/session/measure.h"
#include "tilewright/sim/sim.h"

namespace tilewright::session {

bool can_predict(const Request& request) {
  return request.simulated() && request.machine().timing && request.machine().runtime;
}

void require_machine(const Request& request) {
  if (request.simulated()) return;
  user_error("platform", fmt::format("{} is not a simulated device", request.platform_name),
             fmt::format("in --platform {}", request.platform_name),
             "predictions need a described device; a run on cpu is measured",
             "use a2a3sim, a5sim, or a JSON file of a device");
}

sim::Options simulation_options(Session& session) {
  sim::Options how;
  how.scheduling = session.rules().scheduling;
  how.profiling = session.request().profiling;
  how.external_us = session.request().external_us;
  how.bindings = &session.bindings();
  return how;
}

ir::RunRecord simulate(Session& session, const platform::Platform& machine,
                       const TimeOptions& options) {
  require_called(session.request().external_us, session.program());
  sim::Options how = simulation_options(session);
  how.keep_slices = options.keep_slices;
  how.keep_phases = options.keep_phases;
  how.progress = options.progress;
  return sim::simulate(*session.plan(), *session.graph(), session.order(), machine, how);
}

double predicted_us(Session& session, const platform::Platform& machine) {
  return static_cast<double>(simulate(session, machine).total()) / 1e6;
}

Diagnostics caveats(const Session& session) {
  Diagnostics out;
  if (const int64_t pairs = session.hazards().unordered_pairs; pairs > 0)
    out.add({.severity = Severity::Warning,
             .code = "race-predicted",
             .what = fmt::format("rules {} leave {} of conflicting tasks unordered",
                                 session.rules().name, counted(pairs, "pair")),
             .where = fmt::format("in program {}", session.name()),
             .law = "the time is that of a runtime that does not wait where it should",
             .help = "use check to list the pairs, or --rules exact to order all of them",
             .excerpt = ""});
  for (const Diagnostic& d : session.diagnostics().list())
    for (const char* code : {"device-control", "device-read", "in-partial", "lost-result"})
      if (d.code == code) out.add(d);
  out.append(untimed_externals(session.request().external_us, session.program()));
  return out;
}

TimedRun predict(const catalog::ProgramDef& def, const Request& request,
                 const TimeOptions& options) {
  require_machine(request);
  auto session = std::make_unique<Session>(def, request);
  const bool ready = session->prepare();
  if (ready) return predict(std::move(session), options);
  TimedRun result;
  result.session = std::move(session);
  return result;
}

TimedRun predict(std::unique_ptr<Session> session, const TimeOptions& options) {
  TimedRun result;
  result.session = std::move(session);
  Session& s = *result.session;
  s.order();  // not part of the simulation's time
  const auto start = std::chrono::steady_clock::now();
  if (s.ranks() > 1) {
    for (std::size_t rank = 0; rank < s.ranks(); ++rank) {
      s.look_at(rank);
      const ir::RunRecord record = simulate(s, s.machine(), {});
      result.rank_us.push_back(
          report::profile(*s.plan(), *s.graph(), record, s.machine()).all.total_us);
    }
    const auto slowest = std::ranges::max_element(result.rank_us);
    s.look_at(static_cast<std::size_t>(slowest - result.rank_us.begin()));
  }
  result.record = simulate(s, s.machine(), options);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.profile = report::profile(*s.plan(), *s.graph(), *result.record, s.machine());
  return result;
}

TimedRun timed_run(const catalog::ProgramDef& def, const Request& request,
                   const TimeOptions& options) {
  return request.simulated() ? predict(def, request, options) : measure(def, request);
}

}  // namespace tilewright::session
