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

// A runtime without levels recorded what level 2 does, and its scheduler and orchestrator if it had
// been told to.
int64_t level_of(const RecordsFile& file) {
  if (file.level) return *file.level;
  if (!file.submits.empty()) return 4;
  return file.phases.empty() ? 2 : 3;
}

// Times after the earliest one of the device's clock.
class Clock {
 public:
  Clock(const RecordsFile& file, const std::string& origin)
      : hz_(file.ticks_per_second), origin_(origin) {
    const auto see = [&](Ticks t) { first_ = std::min(first_, t); };
    for (const CoreRow& r : file.executions) see(r.dispatch ? std::min(*r.dispatch, r.start) : r.start);
    for (const SchedulerRow& r : file.scheduled) see(r.dispatch);
    for (const PhaseRow& r : file.phases) see(r.begin);
    for (const SubmitRow& r : file.submits)
      if (r.begin) see(*r.begin);
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
    if (it == rows_.end() || it->second.empty()) return nullptr;
    const SchedulerRow* r = it->second.front();
    it->second.pop_front();
    return r;
  }

 private:
  std::map<std::pair<int, uint64_t>, std::deque<const SchedulerRow*>> rows_;
};

std::vector<Execution> executions_of(const RecordsFile& file, const Clock& clock) {
  Scheduled scheduled(file.scheduled);
  std::vector<Execution> out;
  out.reserve(file.executions.size());
  for (const CoreRow& r : file.executions) {
    Execution e{.task = r.task, .core = r.core, .function = r.function};
    e.start = clock(r.start);
    e.end = clock(r.end);
    e.dispatch = clock(r.dispatch);
    e.finish = clock(r.finish);
    if (const SchedulerRow* s = scheduled.take(r.core, r.token)) {
      e.dispatch = clock(s->dispatch);
      e.finish = clock(s->finish);
    }
    out.push_back(e);
  }
  return out;
}

// One entry per submission, from the first of its steps to the last.
std::vector<Submitting> submissions_of(const RecordsFile& file, const Clock& clock) {
  std::map<uint64_t, Submitting> by_index;
  for (const SubmitRow& r : file.submits) {
    const Submitting now{r.task, clock(r.begin), clock(r.end)};
    const auto [it, added] = by_index.try_emplace(r.index, now);
    if (added) continue;
    it->second.begin = std::min(it->second.begin, now.begin);
    it->second.end = std::max(it->second.end, now.end);
  }
  std::vector<Submitting> out;
  for (const auto& [index, s] : by_index) out.push_back(s);
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
  const auto unscheduled =
      std::ranges::count(p.executions, kUnrecorded, &Execution::dispatch);
  if (p.level < 2) {
    p.limits.push_back("level 1 has the times of cores only: heads, tails and latencies are unknown");
  } else if (unscheduled > 0) {
    p.limits.push_back(fmt::format("{} of {} have no record of the scheduler: they count without head and tail",
                                   unscheduled, counted(std::ssize(p.executions), "execution")));
  }
  if (std::ranges::any_of(p.submissions, [](const Submitting& s) { return s.begin == kUnrecorded; }))
    p.limits.push_back("the host's clock measured the orchestrator: only the order of its submissions is used");
  if (file.lost) p.limits.push_back("the runtime says that records of the orchestrator were lost");
}

}  // namespace

Profile joined(RecordsFile file, const std::string& origin) {
  Profile p;
  p.file = origin;
  p.level = static_cast<int>(level_of(file));
  p.clock_hz = file.in_us ? 0 : static_cast<double>(file.ticks_per_second);
  p.cores = std::move(file.cores);
  const Clock clock(file, origin);
  p.executions = executions_of(file, clock);
  p.submissions = submissions_of(file, clock);
  p.threads = file.threads;
  for (PhaseRow& r : file.phases)
    p.phases.push_back({r.thread, std::move(r.kind), clock(r.begin), clock(r.end)});
  if (file.fanout) p.edges = edges_of(std::move(*file.fanout));
  tell_limits(file, p);
  return p;
}

}  // namespace tilewright::device
