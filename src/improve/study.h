// A program that was prepared and predicted, with its plan, tasks and record, for rewriters and
// detectors.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "tilewright/improve/advice.h"
#include "tilewright/improve/rewrites/rewrites.h"

namespace tilewright::improve {

class Study {
 public:
  // The program that `def` builds, or `changed` in its place.
  Study(const catalog::ProgramDef& def, const session::Request& request,
        std::optional<ir::Program> changed = {});

  bool ready() const { return ready_; }  // else only the session's diagnostics are there
  session::Session& session() { return *session_; }
  std::unique_ptr<session::Session> release() { return std::move(session_); }
  const report::Profile& profile() const { return profile_; }
  double total_us() const { return profile_.all.total_us; }
  int64_t races() const { return races_; }  // pairs that the rules leave unordered
  // With every conflict ordered; computed when first asked for, from any thread.
  double ordered_us();
  Subject subject();
  Rewrites proposals();

 private:
  std::unique_ptr<session::Session> session_;
  bool ready_ = false;
  ir::RunRecord record_;
  report::Profile profile_;
  int64_t races_ = 0;
  const catalog::ProgramDef& def_;
  std::once_flag ordered_;
  double ordered_us_ = 0;
};

// The predicted time of a changed program; nothing when the checker refuses it, or when it races
// where the original does not. Where both race, as published programs do under the rules of their
// day, one with more races must also be faster with every conflict ordered: it must not win by
// racing.
std::optional<double> time_of(const catalog::ProgramDef& def, Study& original,
                              const ir::Program& changed);

// Every proposal that is legal and faster, judged on all cores; of those with one code and place
// only the best.
struct Judged {
  Findings findings;
  int64_t untried = 0;  // after the deadline
};
using Deadline = std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>>;
inline constexpr Deadline kNoDeadline = Deadline::max();
inline bool over(Deadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

Judged judged(const catalog::ProgramDef& def, Study& study, Rewrites proposals,
              Deadline deadline = kNoDeadline);

}  // namespace tilewright::improve
