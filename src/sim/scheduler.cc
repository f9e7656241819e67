// Scheduler threads: polling, completion, dispatch.
#include <algorithm>

#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

namespace {

constexpr std::size_t kWiringBatch = 30;  // submissions that are entered together
// At most so many rounds are spent waiting for a full batch.
constexpr int64_t kWiringRounds = 32;

}  // namespace

// A round has one position per polled core and then one for dispatch. The result of a poll is known
// at the end of its position; dispatch begins after the last poll.
Chip::Time Chip::reaches(const Thread& t, std::size_t place, Time from) const {
  const auto n = static_cast<Time>(t.polled.size());
  const Time round = n * rt_.poll + rt_.idle;
  const auto polls_until = [&](std::size_t begin) {
    const Time until = static_cast<Time>(place) + (place < t.polled.size() ? 1 : 0);
    return (until - static_cast<Time>(begin)) * rt_.poll;
  };
  Time at = place >= t.at
                ? t.since + polls_until(t.at)
                : t.since + (n - static_cast<Time>(t.at)) * rt_.poll + rt_.idle + polls_until(0);
  if (at < from) at = round > 0 ? at + (from - at + round - 1) / round * round : from;
  return at;
}

bool Chip::has_unit(const Thread& t, CoreSet s) const {
  RunningTask unused;
  return take_unit(t, s, unused);
}

bool Chip::another_is_idle(const Thread& t, CoreSet s) const {
  return std::ranges::any_of(cores_, [&](const Core& c) {
    return c.runs.empty() && c.cube == (s != CoreSet::Vector) &&
           &threads_[static_cast<std::size_t>(c.thread)] != &t;
  });
}

// A task may be put behind a running one once the scheduler has seen that the kernel runs.
bool Chip::free_slot(int id) const {
  using Slots = platform::Scheduling::Slots;
  const Core& core = cores_[static_cast<std::size_t>(id)];
  if (core.runs.empty()) return true;
  const bool two =
      scheduling_.slots == Slots::Two || (scheduling_.slots == Slots::TwoOnCubes && core.cube);
  return two && core.runs.size() == 1 && runs_[core.runs.front()].acknowledged <= now_;
}

bool Chip::take_unit(const Thread& t, CoreSet s, RunningTask& run) const {
  const auto runs = [&](int core) { return cores_[static_cast<std::size_t>(core)].runs.size(); };
  const bool may_queue = !scheduling_.idle_cores_first || !another_is_idle(t, s);
  const auto take_one = [&](const std::vector<int>& cores) {
    int best = -1;
    for (int c : cores)
      if (free_slot(c) && (best < 0 || runs(c) < runs(best))) best = c;
    if (best < 0 || (runs(best) > 0 && !may_queue)) return false;
    run.cores[0] = best;
    run.core_count = 1;
    return true;
  };
  if (s == CoreSet::Cube) return take_one(t.cubes);
  if (s == CoreSet::Vector) return take_one(t.vector_order);
  const auto per = static_cast<std::size_t>(platform_.vectors_per_cluster);
  std::size_t least = SIZE_MAX;
  for (std::size_t i = 0; i < t.cubes.size(); ++i) {
    std::size_t waiting = runs(t.cubes[i]);
    bool free = free_slot(t.cubes[i]);
    for (std::size_t v = 0; v < per; ++v) {
      free = free && free_slot(t.vectors[i * per + v]);
      waiting = std::max(waiting, runs(t.vectors[i * per + v]));
    }
    if (!free || waiting >= least) continue;
    least = waiting;
    run.core_count = 0;
    run.cores[static_cast<std::size_t>(run.core_count++)] = t.cubes[i];
    for (std::size_t v = 0; v < per && v + 1 < run.cores.size(); ++v)
      run.cores[static_cast<std::size_t>(run.core_count++)] = t.vectors[i * per + v];
  }
  return least == 0 || (least != SIZE_MAX && may_queue);
}

// Its own ready tasks first, the one that became ready last on top.
Chip::Work Chip::find_work(Thread& t, CoreSet s) {
  if (!together_.empty()) return {};
  const auto i = static_cast<std::size_t>(s);
  if (!t.local[i].empty()) return {&t.local[i], true};
  return {global_[i].empty() ? nullptr : &global_[i], false};
}

// When another task is queued on the core, the end of the first is noticed when the second is seen
// to run.
Chip::Time Chip::end_visible(const Core& core) const {
  const RunningTask& first = runs_[core.runs.front()];
  if (!first.ended) return kNever;
  if (core.runs.size() == 1 || runs_[core.runs[1]].gated) return first.finish_seen;
  const Time next = std::max(core.free_at, runs_[core.runs[1]].dispatched + rt_.start);
  return std::max(first.finish_seen, next + rt_.finish_seen);
}

// Posts the next time at which the thread has something to do: a task end that it can see, or work
// for which it has a core. An idle thread has no event.
void Chip::wake_later(std::size_t index) {
  Thread& t = threads_[index];
  if (t.busy) return;
  Time at = kNever;
  for (std::size_t i = 0; i < t.polled.size(); ++i) {
    const Time visible = end_visible(cores_[static_cast<std::size_t>(t.polled[i])]);
    if (visible != kNever) at = std::min(at, reaches(t, i, std::max(now_, visible)));
  }
  if (wires(index)) at = std::min(at, reaches(t, t.polled.size(), std::max(now_, wiring_due(t))));
  if (can_start_together()) at = std::min(at, reaches(t, t.polled.size(), now_));
  for (CoreSet s : t.preferred) {
    const Work work = find_work(t, s);
    if (!work) continue;
    const bool can = starts_together(work.ready().submission) || has_unit(t, s);
    if (can) at = std::min(at, reaches(t, t.polled.size(), now_));
    if (!can && s == CoreSet::Mixed && scheduling_.mixed_first) break;
  }
  for (CoreSet s : t.preferred)
    if (early_queue(s) && has_unit(t, s)) at = std::min(at, reaches(t, t.polled.size(), now_));
  // Local work without a free core is handed to the other threads when the round reaches dispatch.
  for (const Queue& q : t.local)
    if (!q.empty()) at = std::min(at, reaches(t, t.polled.size(), now_));
  ++t.generation;
  if (at != kNever) post(at, What::Wake, static_cast<uint32_t>(index), t.generation);
}

// From now on.
void Chip::busy(std::size_t thread, RuntimeWork work, Time until) {
  record_.scheduler_busy[thread] += until - now_;
  if (options_.keep_phases)
    record_.phases.push_back(
        {.thread = static_cast<int32_t>(thread), .work = work, .begin = now_, .end = until});
}

void Chip::wake(std::size_t index) {
  Thread& t = threads_[index];
  for (std::size_t i = 0; i < t.polled.size(); ++i) {
    Core& core = cores_[static_cast<std::size_t>(t.polled[i])];
    const uint32_t id = core.runs.front();
    RunningTask& run = runs_[id];
    const Time visible = end_visible(core);
    if (visible == kNever || reaches(t, i, std::max(now_, visible)) != now_) continue;
    core.runs.erase(core.runs.begin());
    const bool still = !core.runs.empty() && !runs_[core.runs.front()].gated;
    if (!still) t.polled.erase(t.polled.begin() + static_cast<std::ptrdiff_t>(i));
    t.since = now_;
    const bool next_ended = still && runs_[core.runs.front()].ended;
    t.at = still && !next_ended ? i + 1 : i;
    core.last = run.task;
    if (++run.seen < run.core_count) {  // the record of this core is written, then the round goes on
      t.since = now_ + rt_.profile_scheduler;
      busy(index, RuntimeWork::Complete, now_ + rt_.profile_scheduler);
      return wake_later(index);
    }
    const Submission& sub = submissions_[graph_.tasks[run.task.index()].submission];
    Time cost = rt_.complete;
    if (sub.blocks_left == 1)
      for (int32_t c = sub.first_consumer; c >= 0; c = consumers_[static_cast<std::size_t>(c)].next)
        cost += rt_.complete_edge;
    t.busy = true;
    t.completing = id;
    if (scheduling_.finish_before_walk) record_.tasks[run.task.index()].finish = now_;
    busy(index, RuntimeWork::Complete, now_ + cost + rt_.profile_scheduler);
    post(now_ + cost, What::Completed, static_cast<uint32_t>(index));
    return;
  }
  dispatch(index);
}

void Chip::completed(std::size_t index) {
  Thread& t = threads_[index];
  RunningTask& run = runs_[t.completing];
  const uint32_t s = graph_.tasks[run.task.index()].submission;
  if (!scheduling_.finish_before_walk) record_.tasks[run.task.index()].finish = now_;
  for (int i = 0; i < run.core_count; ++i)
    cores_[static_cast<std::size_t>(run.cores[static_cast<std::size_t>(i)])].last_finish = now_;
  ++finished_tasks_;
  if (--submissions_[s].blocks_left == 0) finish_submission(s, t);
  free_runs_.push_back(t.completing);
  t.busy = false;
  t.since = now_ + rt_.profile_scheduler;
  wake_later(index);
}

uint32_t Chip::new_run() {
  if (free_runs_.empty()) {
    runs_.emplace_back();
    return static_cast<uint32_t>(runs_.size() - 1);
  }
  const uint32_t id = free_runs_.back();
  free_runs_.pop_back();
  const uint32_t generation = runs_[id].generation;
  runs_[id] = {};
  runs_[id].generation = generation + 1;
  return id;
}

// ---- entering submissions ----------------------------------------------------------------------

bool Chip::wires(std::size_t index) const {
  return index == 0 && !unwired_.empty() && wiring_ == 0;
}

// Some versions of the runtime wait for a full batch of submissions, for a bounded number of
// rounds.
Chip::Time Chip::wiring_due(const Thread& t) const {
  const bool all_submitted = submissions_.back().submitted;
  if (scheduling_.wiring == platform::Scheduling::Wiring::Scheduler || all_submitted ||
      unwired_.size() >= kWiringBatch)
    return now_;
  const Time round = static_cast<Time>(t.polled.size()) * rt_.poll + rt_.idle;
  return unwired_since_ + kWiringRounds * round;
}

void Chip::wire(std::size_t index) {
  Thread& t = threads_[index];
  wiring_ = std::min(unwired_.size(), kWiringBatch);
  Time cost = 0;
  for (std::size_t i = 0; i < wiring_; ++i)
    cost += rt_.wire + static_cast<Time>(order_.preds_of(unwired_[i]).size()) * rt_.submit_producer;
  busy(index, RuntimeWork::Wire, now_ + cost);
  t.busy = true;
  post(now_ + cost, What::Wired, static_cast<uint32_t>(index));
}

void Chip::wired(std::size_t index) {
  const std::vector<uint32_t> batch(unwired_.begin(),
                                    unwired_.begin() + static_cast<std::ptrdiff_t>(wiring_));
  unwired_.erase(unwired_.begin(), unwired_.begin() + static_cast<std::ptrdiff_t>(wiring_));
  wiring_ = 0;
  unwired_since_ = now_;
  for (uint32_t s : batch) enter(s);
  dispatch(index);
}

// ---- dispatch ----------------------------------------------------------------------------------

void Chip::hand_out(const Work& work, const RunningTask& cores, Time at) {
  const uint32_t id = new_run();
  RunningTask& run = runs_[id];
  run.cores = cores.cores;
  run.core_count = cores.core_count;
  Ready& ready = work.ready();
  const uint32_t submission = ready.submission;
  run.task = task_of(submission, ready.next_block++);
  const bool last = task_of(submission, ready.next_block) == task_of(submission + 1, 0);
  if (last) work.pop();
  run.dispatched = at;
  TaskRecord& record = record_.tasks[run.task.index()];
  record.dispatch = run.dispatched;
  record.lane = run.cores[0];
  run.gated = submissions_[submission].waits_for > 0;
  const Core& first = cores_[static_cast<std::size_t>(run.cores[0])];
  if (!run.gated && first.last_finish > record.ready) record.before = first.last;
  for (int i = 0; i < run.core_count; ++i) {
    const int c = run.cores[static_cast<std::size_t>(i)];
    cores_[static_cast<std::size_t>(c)].runs.push_back(id);
    if (!run.gated) poll(c);
  }
  if (last && !run.gated) tell_handed_out(submission);
}

void Chip::poll(int core) {
  const auto rank = [this](int c) { return cores_[static_cast<std::size_t>(c)].poll_rank; };
  auto& polled = threads_[static_cast<std::size_t>(cores_[static_cast<std::size_t>(core)].thread)].polled;
  if (std::ranges::find(polled, core) != polled.end()) return;
  polled.insert(std::ranges::lower_bound(polled, rank(core), {}, rank), core);
}

// Dispatches one task per visit, or all tasks for which there are cores, as the runtime's rules
// say. With nothing to dispatch, the round goes on.
void Chip::dispatch(std::size_t index) {
  Thread& t = threads_[index];
  t.busy = false;
  if (wires(index) && wiring_due(t) <= now_) return wire(index);
  if (can_start_together()) return hand_out_together(index, {&together_, false});
  for (CoreSet s : t.preferred) {
    std::vector<uint32_t> handed_out;
    Work work;
    RunningTask cores;
    Time at = now_;
    while ((work = find_work(t, s))) {
      if (starts_together(work.ready().submission)) {
        if (!handed_out.empty()) break;
        return hand_out_together(index, work);
      }
      if (!take_unit(t, s, cores)) break;
      at += cores.core_count * rt_.dispatch;
      hand_out(work, cores, at);
      handed_out.push_back(cores_[static_cast<std::size_t>(cores.cores[0])].runs.back());
      if (!scheduling_.publishes_together) break;
    }
    if (handed_out.empty()) {
      if (work && s == CoreSet::Mixed && scheduling_.mixed_first) break;
      continue;
    }
    for (uint32_t id : handed_out) {
      runs_[id].dispatched = record_.tasks[runs_[id].task.index()].dispatch = at;
      begin_when_possible(id);
    }
    busy(index, RuntimeWork::Dispatch, at);
    t.busy = true;
    return post(at, What::Dispatch, static_cast<uint32_t>(index));
  }
  if (stage(index)) return;
  spill(t);
  t.since = now_ + rt_.idle;
  t.at = 0;
  wake_later(index);
}

void Chip::spill(Thread& t) {
  bool any = false;
  for (std::size_t i = 0; i < kCoreSets; ++i) {
    any = any || !t.local[i].empty();
    for (const Ready& r : t.local[i]) global_[i].push_back(r);
    t.local[i].clear();
  }
  if (!any) return;
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (&threads_[i] != &t) wake_later(i);
}

}  // namespace tilewright::sim
