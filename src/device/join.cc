#include "tilewright/device/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/device/ticks.h"

namespace tilewright::device {
namespace {

// What a file holds whose date had no levels, or which counted otherwise.
int64_t level_of(const RecordsFile& file) {
  if (file.level) return *file.level;
  if (!file.submits.empty()) return 4;
  if (!file.phases.empty()) return 3;
  const auto scheduled = [](const CoreRow& r) { return r.finish.has_value(); };
  return std::ranges::any_of(file.executions, scheduled) ? 2 : 1;
}

// Times after the earliest one of the device's clock.
class Clock {
 public:
  Clock(const RecordsFile& file, const std::string& origin)
      : hz_(file.ticks_per_second), origin_(origin) {
    const auto see = [&](std::optional<Ticks> t) { first_ = std::min(first_, t.value_or(first_)); };
    for (const CoreRow& r : file.executions)
      for (std::optional<Ticks> t : {std::optional(r.start), r.received, r.dispatch}) see(t);
    for (const SchedulerRow& r : file.scheduled)
      for (std::optional<Ticks> t : {r.dispatch, r.finish}) see(t);
    for (const PhaseRow& r : file.phases) see(r.when.begin);
    for (const SubmitRow& r : file.submits)
      for (std::optional<Ticks> t : {r.when.begin, r.when.end}) see(t);
  }

  int64_t operator()(Ticks t) const {
    const auto ps = picoseconds(t - first_, hz_);
    if (!ps)
      user_error("device-profile", fmt::format("times {} ticks apart", t - first_),
                 fmt::format("at {}", origin_), "a run takes less than 106 days",
                 "profile again; the file has times of different clocks, or is damaged");
    return *ps;
  }
  int64_t operator()(const std::optional<Ticks>& t) const { return t ? (*this)(*t) : kUnrecorded; }

 private:
  uint64_t hz_;
  const std::string& origin_;
  Ticks first_ = UINT64_MAX;
};

// What a scheduler recorded, by core and token. Tokens of a core come again after 2^32 tasks, and
// then in the same order as its executions.
class Scheduled {
 public:
  explicit Scheduled(const std::vector<SchedulerRow>& rows) {
    for (const SchedulerRow& r : rows) rows_[{r.core, r.token}].push_back(&r);
  }
  const SchedulerRow* take(int core, uint64_t token) {
    const auto it = rows_.find({core, token});
    if (it == rows_.end()) return nullptr;
    const SchedulerRow* r = it->second.front();
    it->second.pop_front();
    if (it->second.empty()) rows_.erase(it);
    return r;
  }
  std::ptrdiff_t left() const {
    std::ptrdiff_t n = 0;
    for (const auto& [key, rows] : rows_) n += std::ssize(rows);
    return n;
  }

 private:
  std::map<std::pair<int, uint64_t>, std::deque<const SchedulerRow*>> rows_;
};

Execution execution_of(const CoreRow& r, const SchedulerRow* scheduled, const Clock& clock) {
  Execution e{.task = r.task, .core = r.core, .function = r.function};
  e.received = clock(r.received);
  e.start = clock(r.start);
  e.end = clock(r.end);
  e.dispatch = clock(scheduled ? scheduled->dispatch : r.dispatch);
  e.finish = clock(scheduled ? scheduled->finish : r.finish);
  return e;
}

void add_executions(const RecordsFile& file, const Clock& clock, Profile& p) {
  Scheduled scheduled(file.scheduled);
  p.executions.reserve(file.executions.size());
  for (const CoreRow& r : file.executions)
    p.executions.push_back(execution_of(r, scheduled.take(r.core, r.token), clock));
  if (const auto left = scheduled.left(); left > 0)
    p.limits.push_back(
        fmt::format("the records of {} by cores were lost: the scheduler has them, and no core has",
                    counted(left, "execution")));
}

// One entry per submission, from the first of its steps to the last, in the order of their time.
std::vector<Submitting> submissions_of(const RecordsFile& file, const Clock& clock) {
  std::map<std::pair<std::size_t, uint64_t>, Submitting> found;  // by thread and number
  for (const SubmitRow& r : file.submits) {
    const Submitting now{r.task, clock(r.when.begin), clock(r.when.end)};
    const auto [it, added] = found.try_emplace({r.thread, r.index}, now);
    if (added) continue;
    it->second.begin = std::min(it->second.begin, now.begin);
    it->second.end = std::max(it->second.end, now.end);
  }
  std::vector<Submitting> out;
  for (const auto& [key, s] : found) out.push_back(s);
  std::ranges::stable_sort(out, {}, &Submitting::begin);
  return out;
}

// Every core that executes a part of a task names all who wait for the task.
std::vector<EdgeInfo> edges_of(std::vector<std::pair<uint64_t, uint64_t>> fanout) {
  std::ranges::sort(fanout);
  fanout.erase(std::unique(fanout.begin(), fanout.end()), fanout.end());
  std::vector<EdgeInfo> out;
  for (const auto& [from, to] : fanout) out.push_back({from, to, EdgeSource::TensorMap});
  return out;
}

void tell_limits(const RecordsFile& file, Profile& p) {
  const auto executions = counted(std::ssize(p.executions), "execution");
  const auto unscheduled = std::ranges::count(p.executions, kUnrecorded, &Execution::dispatch);
  const auto early = std::ranges::count_if(p.executions, [](const Execution& e) {
    return e.dispatch != kUnrecorded && e.dispatch > e.start;
  });
  if (p.level < 2)
    p.limits.emplace_back(
        "level 1 has the times of cores only: heads, tails and latencies are unknown");
  else if (unscheduled > 0)
    p.limits.push_back(
        fmt::format("{} of {} have no record of the scheduler: they count without head and tail",
                    unscheduled, executions));
  if (early > 0)
    p.limits.push_back(fmt::format(
        "{} of {} start before the scheduler notes their dispatch: their heads are negative", early,
        executions));
  if (std::ranges::any_of(p.submissions,
                          [](const Submitting& s) { return s.begin == kUnrecorded; }))
    p.limits.emplace_back(
        "the host's clock measured the orchestrator: only the order of its submissions is used");
  if (file.lost)
    p.limits.emplace_back("the runtime says that records of the orchestrator were lost");
}

}  // namespace

Profile joined(RecordsFile file, const std::string& origin) {
  Profile p;
  p.file = origin;
  p.level = static_cast<int>(level_of(file));
  p.clock_hz = file.in_us ? 0 : static_cast<double>(file.ticks_per_second);
  p.all_cores = !file.in_us;
  p.cores = std::move(file.cores);
  const Clock clock(file, origin);
  add_executions(file, clock, p);
  p.submissions = submissions_of(file, clock);
  p.threads = file.threads;
  p.serving_threads = file.serving.size();
  for (PhaseRow& r : file.phases)
    p.phases.push_back({r.thread, std::move(r.kind), clock(*r.when.begin), clock(*r.when.end)});
  if (file.fanout) p.edges = edges_of(std::move(*file.fanout));
  tell_limits(file, p);
  return p;
}

}  // namespace tilewright::device
