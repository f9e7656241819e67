#include "tilewright/improve/apply.h"

#include <algorithm>
#include <set>

#include "tilewright/improve/key_advice.h"
#include "tilewright/improve/rewrites/single_trips.h"
#include "tilewright/improve/study.h"

namespace tilewright::improve {
namespace {

// Of the time; with a smaller limit, noise would keep the search going.
constexpr double kWorthAStep = 0.004;
constexpr int kMostSteps = 60;

// Identifies a change in a program that other changes have been applied to: code, place and change.
using Identity = std::tuple<std::string, std::string, std::string>;
Identity identity(const Finding& f) { return {f.code, f.where.text(), f.change}; }
Identity identity(const Rewrite& r) { return {r.code, r.where.text(), r.change}; }

// The result with the program after each step, to find the step that changed values.
struct Climbed : Applied {
  std::vector<std::pair<Identity, std::shared_ptr<const ir::Program>>> trail;
};

class Ladder {
 public:
  Ladder(const catalog::ProgramDef& def, const session::Request& request,
         const ApplyOptions& options, const std::set<Identity>& banned, bool keys)
      : def_(def), request_(request), options_(options), banned_(banned), keys_(keys) {}

  Climbed climb() {
    study_ = std::make_unique<Study>(def_, request_);
    out_.diagnostics = study_->session().diagnostics();
    if (!study_->ready()) return std::move(out_);
    out_.original = out_.program = program_now();
    out_.before_us = out_.after_us = study_->total_us();
    out_.before_tasks = study_->profile().all.tasks;
    out_.roofline_us = study_->profile().all.roofline_us;
    out_.caveats_before = session::caveats(study_->session());
    while (!enough() && round()) {
    }
    tidy();
    if (out_.changed()) out_.caveats_after = session::caveats(study_->session());
    return std::move(out_);
  }

 private:
  std::shared_ptr<const ir::Program> program_now() {
    return std::make_shared<const ir::Program>(study_->session().program());
  }
  bool enough() const {
    return static_cast<int>(out_.steps.size()) >= kMostSteps || out_.after_us <= options_.until_us;
  }
  bool worth(double after_us) const { return after_us < study_->total_us() * (1 - kWorthAStep); }

  // Applies all changes that gain, the best first. True if any was applied.
  bool round() {
    Rewrites proposals = study_->proposals();
    std::erase_if(proposals, [&](const Rewrite& r) { return banned_.contains(identity(r)); });
    Findings found = judged(def_, *study_, std::move(proposals)).findings;
    // Keys are inputs of the builder, so they can only be set before the program itself is
    // rewritten.
    if (keys_ && !out_.rewritten)
      for (Finding& f : key_findings(def_, request_, study_->total_us(), kNoDeadline))
        if (!banned_.contains(identity(f))) found.push_back(std::move(f));
    std::ranges::stable_sort(found, std::greater<>(), &Finding::gain_us);
    bool any = false;
    for (const Finding& f : found) {
      if (f.gain_us() < kWorthAStep * f.now_us || enough()) break;
      const bool taken = !any ? take(f) : take_again(f);
      any = any || taken;
      if (taken && !f.set.empty()) break;  // the keys built another program: start a new round
    }
    return any;
  }

  // Applies a finding of this round as it was judged.
  bool take(const Finding& f) {
    if (!f.set.empty()) {
      for (const auto& [key, value] : f.set) request_.set[key] = out_.set[key] = value;
      return advance(std::make_unique<Study>(def_, request_), f);
    }
    return advance(std::make_unique<Study>(def_, request_, *f.rewritten), f);
  }

  // Applies the same change to the current program, if it still exists there and still gains.
  bool take_again(const Finding& f) {
    if (!f.rewritten) return false;
    Rewrites proposals = study_->proposals();
    const auto same = std::ranges::find_if(
        proposals, [&](const Rewrite& r) { return identity(r) == identity(f); });
    if (same == proposals.end()) return false;
    const auto after = time_of(def_, *study_, same->program);
    if (!after || !worth(*after)) return false;
    return advance(std::make_unique<Study>(def_, request_, std::move(same->program)), f);
  }

  bool advance(std::unique_ptr<Study> next, const Finding& f) {
    if (!next->ready()) return false;
    study_ = std::move(next);
    out_.rewritten = out_.rewritten || f.set.empty();
    out_.program = program_now();
    out_.after_us = study_->total_us();
    out_.steps.push_back(
        {f.code, f.change, f.where, out_.after_us, study_->profile().all.tasks});
    out_.trail.push_back({identity(f), out_.program});
    if (options_.heard) options_.heard(out_.steps.back());
    return true;
  }

  // A loop of one trip is noise to a reader. It stays where the program is faster with it: rules may
  // order the tasks of loops.
  void tidy() {
    if (!out_.rewritten) return;
    ir::Program plain = *out_.program;
    if (!inline_single_trips(plain, *out_.original)) return;
    const auto after = time_of(def_, *study_, plain);
    if (!after || *after > study_->total_us()) return;
    auto next = std::make_unique<Study>(def_, request_, std::move(plain));
    if (!next->ready()) return;
    study_ = std::move(next);
    out_.program = out_.trail.back().second = program_now();
    out_.after_us = out_.steps.back().after_us = study_->total_us();
  }

  const catalog::ProgramDef& def_;
  session::Request request_;
  const ApplyOptions& options_;
  const std::set<Identity>& banned_;
  const bool keys_;
  std::unique_ptr<Study> study_;
  Climbed out_;
};

// Two attempts, with keys first and with rewrites only, since they may lead to different programs;
// the faster result is kept.
Climbed best_ladder(const catalog::ProgramDef& def, const session::Request& request,
                    const ApplyOptions& options, const std::set<Identity>& banned) {
  Climbed with_keys = Ladder(def, request, options, banned, true).climb();
  if (with_keys.set.empty() || with_keys.after_us <= options.until_us) return with_keys;
  Climbed without = Ladder(def, request, options, banned, false).climb();
  return without.after_us < with_keys.after_us ? std::move(without) : std::move(with_keys);
}

}  // namespace

Applied apply_advice(const catalog::ProgramDef& def, const session::Request& request,
                     const ApplyOptions& options) {
  std::set<Identity> banned;
  std::vector<std::string> undone;
  for (;;) {
    Climbed out = best_ladder(def, request, options, banned);
    out.undone = undone;
    if (!out.changed() || !options.compare) return out;
    if (options.comparing) options.comparing();
    const auto outputs_of = [&](const ir::Program& p) {
      return compare_results(def, request, *out.original, p);
    };
    out.outputs = outputs_of(*out.program);
    if (all_match(out.outputs)) return out;
    // Bans the first step whose program computes other values, and starts again.
    std::size_t bad = 0;
    while (bad + 1 < out.trail.size() && all_match(outputs_of(*out.trail[bad].second))) ++bad;
    banned.insert(out.trail[bad].first);
    undone.push_back(out.steps[bad].code + ": " + out.steps[bad].change);
  }
}

}  // namespace tilewright::improve
