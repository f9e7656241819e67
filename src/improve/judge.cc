#include "tilewright/improve/judge.h"

#include "tilewright/base/diagnostic.h"
#include "tilewright/session/measure.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

constexpr const char* kRace = "hazard";

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::Error) return d.code;
  return "error";
}

Verdict predicted(const catalog::ProgramDef& def, const session::Request& request) {
  const session::TimedRun r = session::predict(def, request);
  if (!r.passed()) return {0, 0, first_error(r.session->diagnostics())};
  // Tasks that race finish early, and wrongly: their time is not to be believed.
  const bool races = r.session->hazards().unordered_pairs > 0;
  return {r.profile->all.total_us, r.profile->all.tasks, races ? kRace : ""};
}

Verdict measured(const catalog::ProgramDef& def, const session::Request& request) {
  constexpr int kRuns = 3;
  Verdict best;
  for (int i = 0; i < kRuns; ++i) {
    const session::TimedRun r = session::measure(def, request);
    if (!r.passed()) return {0, 0, first_error(r.session->diagnostics())};
    const report::Figures& all = r.profile->all;
    if (i == 0 || all.total_us < best.time_us) best = {all.total_us, all.tasks, ""};
  }
  return best;
}

}  // namespace

Judge judge_of(const catalog::ProgramDef& def, const session::Request& request) {
  return [&def, &request](const Point& point) -> Verdict {
    session::Request candidate = request;
    for (const auto& [key, value] : point) candidate.set[key] = value;
    try {
      return request.simulated() ? predicted(def, candidate) : measured(def, candidate);
    } catch (const UserError& e) {
      return {0, 0, e.diagnostic().code};
    }
  };
}

}  // namespace tilewright::improve
