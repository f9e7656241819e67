// Executes the steps of all ranks with nothing but signals. As long as signals only grow, whoever
// can go on may go on in any order, so a wait that is never reached is stuck in every execution;
// what lowers or replaces a signal is put off until nothing else can be done.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "tilewright/base/text.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/ranks/findings_of_ranks.h"

namespace tilewright::compile {
namespace {

using namespace ir;

class Progress {
 public:
  explicit Progress(const Timeline& timeline)
      : t_(timeline),
        left_(timeline.steps().size()),
        succs_(timeline.steps().size()),
        executed_(timeline.steps().size(), UINT32_MAX) {
    for (uint32_t s = 0; s < left_.size(); ++s) {
      left_[s] = static_cast<uint32_t>(t_.preds()[s].size());
      for (uint32_t p : t_.preds()[s]) succs_[p].push_back(s);
    }
  }

  void run() {
    for (uint32_t s = 0; s < left_.size(); ++s)
      if (left_[s] == 0) reach(s);
    while (!ready_.empty() || !put_off_.empty()) {
      std::deque<uint32_t>& next = ready_.empty() ? put_off_ : ready_;
      const uint32_t s = next.front();
      next.pop_front();
      finish(s);
    }
  }

  // Waits whose task has come that far, and no further.
  std::vector<uint32_t> stuck() const {
    std::vector<uint32_t> out;
    for (const auto& [cell, waiting] : waiting_) out.insert(out.end(), waiting.begin(), waiting.end());
    std::ranges::sort(out);
    return out;
  }
  bool is_done(uint32_t s) const { return left_[s] == kDone; }
  const std::vector<uint32_t>& executed() const { return executed_; }
  int64_t value(const SignalCell& cell) const {
    const auto it = values_.find(cell);
    return it == values_.end() ? 0 : it->second;
  }

 private:
  static constexpr uint32_t kDone = UINT32_MAX;

  static bool is_met(const RankEvent& wait, int64_t value) {
    return wait.signal->compare == Compare::Eq ? value == wait.value : value >= wait.value;
  }

  void reach(uint32_t s) {
    const RankEvent* e = t_.signal(s);
    if (!e || t_.is_uncertain(e->window)) return ready_.push_back(s);
    if (e->kind == RankEvent::Kind::Notify) {
      const bool grows = !e->signal->replaces && e->value >= 0;
      return (grows ? ready_ : put_off_).push_back(s);
    }
    const SignalCell cell = Timeline::cell(*e);
    if (is_met(*e, value(cell)))
      ready_.push_back(s);
    else
      waiting_[cell].push_back(s);
  }

  void finish(uint32_t s) {
    left_[s] = kDone;
    executed_[s] = steps_done_++;
    const RankEvent* e = t_.signal(s);
    if (e && e->certain && e->kind == RankEvent::Kind::Notify) {
      int64_t& value = values_[Timeline::cell(*e)];
      value = e->signal->replaces ? e->value : value + e->value;
      wake(Timeline::cell(*e), value);
    }
    for (uint32_t next : succs_[s])
      if (--left_[next] == 0) reach(next);
  }

  void wake(const SignalCell& cell, int64_t value) {
    const auto it = waiting_.find(cell);
    if (it == waiting_.end()) return;
    std::vector<uint32_t> still;
    for (uint32_t s : it->second)
      if (is_met(*t_.signal(s), value))
        ready_.push_back(s);
      else
        still.push_back(s);
    it->second = std::move(still);
  }

  const Timeline& t_;
  std::vector<uint32_t> left_;  // predecessors that are not done
  std::vector<std::vector<uint32_t>> succs_;
  std::vector<uint32_t> executed_;  // by step: how many were before it
  uint32_t steps_done_ = 0;
  std::deque<uint32_t> ready_, put_off_;
  std::map<SignalCell, int64_t> values_;
  std::map<SignalCell, std::vector<uint32_t>> waiting_;
};

class StuckReport {
 public:
  StuckReport(const Timeline& timeline, const Progress& progress, Diagnostics& out)
      : t_(timeline), progress_(progress), stuck_(progress.stuck()), out_(out) {}

  void run() {
    bool starved = false;
    for (uint32_t w : stuck_) starved = tell_starved(w) || starved;
    // With a notify missing, others wait for who waits for it: that is no second mistake.
    if (starved) return flush();
    for (uint32_t w : stuck_) tell_cycle(w);
    flush();
  }

 private:
  struct Told {
    Diagnostic diagnostic;
    int64_t count = 0;
  };

  void tell(uint32_t w, Diagnostic d) {
    Told& told = told_[{d.code, t_.signal(w)->place->text()}];
    if (told.count++ == 0) told.diagnostic = std::move(d);
  }

  void flush() {
    for (auto& [place, told] : told_) {
      if (told.count > 1)
        told.diagnostic.what += fmt::format(" (and {})", counted(told.count - 1, "more time"));
      out_.add(std::move(told.diagnostic));
    }
  }

  std::string where(uint32_t w) const {
    return fmt::format("at {}, program {}, {}", t_.signal(w)->place->text(),
                       t_.plan().program.name, t_.task_text(w));
  }

  std::string expectation(uint32_t w) const {
    const RankEvent& e = *t_.signal(w);
    return fmt::format("{} {} {}", t_.signal_text(w),
                       e.signal->compare == Compare::Eq ? "==" : ">=", e.value);
  }

  // Even when every notify of the program has been given.
  bool tell_starved(uint32_t w) {
    const RankEvent& e = *t_.signal(w);
    const auto& notifies = t_.cells().at(Timeline::cell(e)).notifies;
    int64_t most = 0;
    bool settable = false;
    for (uint32_t n : notifies) {
      const RankEvent& given = *t_.signal(n);
      settable = settable || given.signal->replaces;
      if (!given.signal->replaces) most += std::max<int64_t>(given.value, 0);
    }
    if (settable || most >= e.value) return false;
    tell(w, {Severity::Error, "rank-wait",
             fmt::format("rank {} waits for {}, which {}", t_.steps()[w].rank, expectation(w),
                         notifies.empty() ? std::string("no rank notifies")
                                          : fmt::format("reaches at most {}", most)),
             where(w), "the notifies of the program must satisfy every wait",
             "notify this element on this rank, or wait for a value that is notified",
             e.place->excerpt(), *e.place});
    return true;
  }

  // The wait that keeps a notify from being given: the nearest stuck one before it.
  std::optional<uint32_t> held_by(uint32_t notify) const {
    std::vector<uint32_t> open{notify};
    std::vector<uint8_t> seen(t_.steps().size());
    while (!open.empty()) {
      const uint32_t s = open.back();
      open.pop_back();
      if (std::ranges::binary_search(stuck_, s)) return s;
      for (uint32_t p : t_.preds()[s]) {
        if (seen[p] || progress_.is_done(p)) continue;
        seen[p] = 1;
        open.push_back(p);
      }
    }
    return std::nullopt;
  }

  void tell_cycle(uint32_t w) {
    const RankEvent& e = *t_.signal(w);
    std::optional<uint32_t> blocker;
    uint32_t notify = 0;
    for (uint32_t n : t_.cells().at(Timeline::cell(e)).notifies) {
      if (progress_.is_done(n)) continue;
      blocker = held_by(n);
      notify = n;
      if (blocker) break;
    }
    if (!blocker) {  // given, and lowered or replaced before the wait could see it
      tell(w, {Severity::Warning, "rank-deadlock",
               fmt::format("rank {} may wait forever for {}, which is {} after all other ranks end",
                           t_.steps()[w].rank, expectation(w), progress_.value(Timeline::cell(e))),
               where(w),
               "a rank that waits after a signal is lowered or replaced does not see "
               "the earlier value",
               "lower the signal in a task that runs after the wait", e.place->excerpt(), *e.place});
      return;
    }
    const RankEvent& other = *t_.signal(*blocker);
    tell(w,
         {Severity::Error, "rank-deadlock",
          fmt::format("rank {} waits for {}, which {} notifies (at {}) after it has waited for "
                      "{} (at {})",
                      t_.steps()[w].rank, expectation(w), t_.task_text(notify),
                      t_.signal(notify)->place->text(), expectation(*blocker), other.place->text()),
          where(w), "ranks that wait for each other never continue",
          "notify first and wait afterwards",
          e.place->excerpt() + (*e.place == *other.place ? "" : other.place->excerpt()),
          *e.place,
          {{*t_.signal(notify)->place, "the notify"}, {*other.place, "the wait before it"}}});
  }

  const Timeline& t_;
  const Progress& progress_;
  const std::vector<uint32_t> stuck_;
  Diagnostics& out_;
  std::map<std::pair<std::string, std::string>, Told> told_;
};

}  // namespace

std::vector<uint32_t> find_stuck_waits(const Timeline& timeline, Diagnostics& out) {
  Progress progress(timeline);
  progress.run();
  StuckReport(timeline, progress, out).run();
  return progress.executed();
}

}  // namespace tilewright::compile
