// Scheduler threads: polling, completion, dispatch.
#include <algorithm>

#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

// A round has a place for every polled core, then one for dispatching. A poll is over, and tells
// something, at the end of its place; dispatching begins when the polls are over.
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

// A task is put behind a running one only when no core of its kind is idle anywhere; until then it
// goes to the others.
bool Chip::anyone_idle(CoreSet s) const {
  return std::ranges::any_of(cores_, [&](const Core& c) {
    return c.runs.empty() && c.cube == (s != CoreSet::Vector);
  });
}

bool Chip::take_unit(const Thread& t, CoreSet s, RunningTask& run) const {
  const auto runs = [&](int core) { return cores_[static_cast<std::size_t>(core)].runs.size(); };
  const auto take_one = [&](const std::vector<int>& cores) {
    int best = -1;
    for (int c : cores)
      if (free_slot(c) && (best < 0 || runs(c) < runs(best))) best = c;
    if (best < 0 || (runs(best) > 0 && anyone_idle(s))) return false;
    run.cores[0] = best;
    run.core_count = 1;
    return true;
  };
  if (s == CoreSet::Cube) return take_one(t.cubes);
  if (s == CoreSet::Vector) return take_one(t.vectors);
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
  return least == 0 || (least != SIZE_MAX && !anyone_idle(s));
}

Chip::Queue* Chip::find_work(Thread& t, CoreSet s) {
  const auto i = static_cast<std::size_t>(s);
  if (t.local[i].empty() && global_[i].empty()) return nullptr;
  return t.local[i].empty() ? &global_[i] : &t.local[i];
}

// Posts the thread's next visit to something that needs it: an end it can notice, or work that it
// has a core for. An idle thread has no event at all.
void Chip::wake_later(std::size_t index) {
  Thread& t = threads_[index];
  if (t.busy) return;
  Time at = kNever;
  for (std::size_t i = 0; i < t.polled.size(); ++i) {
    const RunningTask& first = runs_[cores_[static_cast<std::size_t>(t.polled[i])].runs.front()];
    if (first.ended) at = std::min(at, reaches(t, i, std::max(now_, first.finish_seen)));
  }
  for (CoreSet s : t.preferred)
    if (find_work(t, s) && has_unit(t, s)) at = std::min(at, reaches(t, t.polled.size(), now_));
  // Local work it has no core for goes to the others.
  for (const Queue& q : t.local)
    if (!q.empty()) at = std::min(at, reaches(t, t.polled.size(), now_));
  ++t.generation;
  if (at != kNever) post(at, What::Wake, static_cast<uint32_t>(index), t.generation);
}

void Chip::wake(std::size_t index) {
  Thread& t = threads_[index];
  for (std::size_t i = 0; i < t.polled.size(); ++i) {
    Core& core = cores_[static_cast<std::size_t>(t.polled[i])];
    const uint32_t id = core.runs.front();
    RunningTask& run = runs_[id];
    if (!run.ended || reaches(t, i, std::max(now_, run.finish_seen)) != now_) continue;
    core.runs.erase(core.runs.begin());
    const bool still = !core.runs.empty();
    if (!still) t.polled.erase(t.polled.begin() + static_cast<std::ptrdiff_t>(i));
    t.since = now_;
    t.at = still ? i + 1 : i;
    core.last = run.task;
    if (++run.seen < run.core_count) return wake_later(index);
    const Submission& sub = submissions_[graph_.tasks[run.task.index()].submission];
    Time cost = rt_.complete;
    if (sub.blocks_left == 1)
      for (int32_t c = sub.first_consumer; c >= 0; c = consumers_[static_cast<std::size_t>(c)].next)
        cost += rt_.complete_edge;
    t.busy = true;
    t.completing = id;
    record_.scheduler_busy[index] += cost + rt_.profile_scheduler;
    post(now_ + cost, What::Completed, static_cast<uint32_t>(index));
    return;
  }
  dispatch(index);
}

void Chip::completed(std::size_t index) {
  Thread& t = threads_[index];
  RunningTask& run = runs_[t.completing];
  const uint32_t s = graph_.tasks[run.task.index()].submission;
  record_.tasks[run.task.index()].finish = now_;
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

// Hands one task to a core and comes back for the next; when there is none, the round goes on.
void Chip::dispatch(std::size_t index) {
  Thread& t = threads_[index];
  t.busy = false;
  for (CoreSet s : t.preferred) {
    Queue* queue = find_work(t, s);
    RunningTask taken;
    if (!queue || !take_unit(t, s, taken)) continue;
    const uint32_t id = new_run();
    RunningTask& run = runs_[id];
    run.cores = taken.cores;
    run.core_count = taken.core_count;
    Ready& ready = queue->front();
    run.task = task_of(ready.submission, ready.next_block++);
    if (order_.first_task[ready.submission] + ready.next_block ==
        order_.first_task[ready.submission + 1])
      queue->pop_front();
    run.dispatched = now_ + rt_.dispatch;
    TaskRecord& record = record_.tasks[run.task.index()];
    record.dispatch = run.dispatched;
    record.lane = run.cores[0];
    const Core& first = cores_[static_cast<std::size_t>(run.cores[0])];
    if (first.last_finish > record.ready) record.before = first.last;
    for (int i = 0; i < run.core_count; ++i) {
      const int c = run.cores[static_cast<std::size_t>(i)];
      cores_[static_cast<std::size_t>(c)].runs.push_back(id);
      if (std::ranges::find(t.polled, c) == t.polled.end())
        t.polled.insert(std::ranges::lower_bound(t.polled, c), c);
    }
    begin_when_possible(id);
    record_.scheduler_busy[index] += rt_.dispatch;
    t.busy = true;
    return post(run.dispatched, What::Dispatch, static_cast<uint32_t>(index));
  }
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
