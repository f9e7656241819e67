#include "tilewright/improve/judge.h"

#include <memory>
#include <mutex>
#include <optional>

#include "tilewright/base/diagnostic.h"
#include "tilewright/improve/choices.h"
#include "tilewright/ir/program.h"
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

// The work of a program independent of its tiles: parameters, bytes of them that are used,
// multiply-adds. A candidate with less work computes something else, so it is refused.
struct Work {
  ir::Program program;
  int64_t read = 0, written = 0, macs = 0;
  int64_t races = 0;  // pairs of tasks that the rules leave unordered
};

Work work_of(const session::TimedRun& r) {
  Work out{r.session->program(), r.profile->all.least_read, r.profile->all.least_write, 0,
           r.session->hazards().unordered_pairs};
  for (const ir::TaskRecord& t : r.record->tasks) out.macs += r.record->profiles[t.profile].macs;
  return out;
}

bool does_less(const Work& candidate, const Work& original) {
  return !same_parameters(candidate.program, original.program) ||
         candidate.read < original.read || candidate.written < original.written ||
         candidate.macs < original.macs;
}

class ProgramJudge {
 public:
  ProgramJudge(const catalog::ProgramDef& def, const session::Request& request, Space space)
      : def_(def), request_(request), space_(std::move(space)) {}

  Verdict judge(const Point& point) {
    session::Request candidate = request_;
    for (const auto& [key, value] : point) candidate.set[key] = value;
    try {
      std::call_once(learned_, [&] { learn_original(); });
      const bool derived = space_.derives(point);
      return request_.simulated() ? predicted(candidate, derived) : measured(candidate, derived);
    } catch (const UserError& e) {
      return {0, 0, e.diagnostic().code};
    }
  }

 private:
  void learn_original() {
    const session::TimedRun r = session::timed_run(def_, request_);
    if (r.passed()) original_ = work_of(r);
  }

  bool is_other_work(const session::TimedRun& r, bool derived) const {
    return derived && original_ && does_less(work_of(r), *original_);
  }

  Verdict predicted(const session::Request& candidate, bool derived) const {
    const session::TimedRun r = session::predict(def_, candidate);
    if (!r.passed()) return {0, 0, first_error(r.session->diagnostics())};
    if (is_other_work(r, derived)) return {0, 0, kOtherWork};
    // Racing tasks may start before their inputs are ready, so their predicted time is not valid.
    const bool races = r.session->hazards().unordered_pairs > (original_ ? original_->races : 0);
    return {r.profile->all.total_us, r.profile->all.tasks, races ? kRace : ""};
  }

  Verdict measured(const session::Request& candidate, bool derived) const {
    constexpr int kRuns = 3;
    Verdict best;
    for (int i = 0; i < kRuns; ++i) {
      const session::TimedRun r = session::measure(def_, candidate);
      if (!r.passed()) return {0, 0, first_error(r.session->diagnostics())};
      if (is_other_work(r, derived)) return {0, 0, kOtherWork};
      const report::Figures& all = r.profile->all;
      if (i == 0 || all.total_us < best.time_us) best = {all.total_us, all.tasks, ""};
    }
    return best;
  }

  const catalog::ProgramDef& def_;
  const session::Request& request_;
  const Space space_;
  std::once_flag learned_;
  std::optional<Work> original_;  // absent if it has errors
};

}  // namespace

Judge judge_of(const catalog::ProgramDef& def, const session::Request& request,
               const Space& space) {
  auto judge = std::make_shared<ProgramJudge>(def, request, space);
  return [judge](const Point& point) { return judge->judge(point); };
}

}  // namespace tilewright::improve
