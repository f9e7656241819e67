#include "tilewright/improve/judge.h"

#include "tilewright/base/diagnostic.h"
#include "tilewright/harness/measure.h"

namespace tilewright::improve {
namespace {

constexpr const char* kRace = "hazard";

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::Error) return d.code;
  return "error";
}

}  // namespace

Judge predicted_time(const catalog::ProgramDef& def, const harness::SimRequest& request) {
  return [&def, &request](const Point& point) -> Verdict {
    harness::SimRequest candidate = request;
    for (const auto& [key, value] : point) candidate.set[key] = value;
    try {
      const harness::SimResult r = harness::predict(def, candidate);
      const harness::Prepared& p = *r.prepared;
      if (!r.passed()) return {0, 0, first_error(p.diagnostics)};
      // Tasks that race finish early, and wrongly: their time is not to be believed.
      const auto hazards = compile::find_hazards(*p.plan, *p.graph, harness::rules_named(p.rules));
      const bool races = hazards.unordered_pairs > 0;
      return {r.profile->all.total_us, r.profile->all.tasks, races ? kRace : ""};
    } catch (const UserError& e) {
      return {0, 0, e.diagnostic().code};
    }
  };
}

Judge measured_time(const catalog::ProgramDef& def, const harness::SimRequest& request) {
  return [&def, &request](const Point& point) -> Verdict {
    constexpr int kRuns = 3;
    harness::SimRequest candidate = request;
    for (const auto& [key, value] : point) candidate.set[key] = value;
    Verdict best;
    try {
      for (int i = 0; i < kRuns; ++i) {
        const harness::SimResult r = harness::measure(def, candidate);
        if (!r.passed()) return {0, 0, first_error(r.prepared->diagnostics)};
        const report::Figures& all = r.profile->all;
        if (i == 0 || all.total_us < best.time_us) best = {all.total_us, all.tasks, ""};
      }
    } catch (const UserError& e) {
      return {0, 0, e.diagnostic().code};
    }
    return best;
  };
}

}  // namespace tilewright::improve
