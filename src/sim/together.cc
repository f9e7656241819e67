// Launches whose blocks start together (`sync_start`). A thread that has idle cores for all of them
// hands them out. Otherwise every thread stops dispatching and goes on completing, until the chip has
// enough idle cores; then one thread hands out all blocks.
#include <algorithm>

#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

bool Chip::starts_together(uint32_t s) const {
  const uint32_t first = order_.first_task[s];
  return order_.first_task[s + 1] - first > 1 && plan_.kernel(graph_.tasks[first].kernel).sync_start;
}

bool Chip::take_idle_unit(const Thread& t, CoreSet s, RunningTask& run) const {
  const auto idle = [&](int core) { return cores_[static_cast<std::size_t>(core)].runs.empty(); };
  run.core_count = 0;
  const auto take = [&](int core) {
    run.cores[static_cast<std::size_t>(run.core_count++)] = core;
    return true;
  };
  if (s != CoreSet::Mixed) {
    const auto& cores = s == CoreSet::Cube ? t.cubes : t.vector_order;
    const auto found = std::ranges::find_if(cores, idle);
    return found != cores.end() && take(*found);
  }
  const auto per = static_cast<std::size_t>(platform_.vectors_per_cluster);
  for (std::size_t i = 0; i < t.cubes.size(); ++i) {
    const auto vectors = t.vectors.begin() + static_cast<std::ptrdiff_t>(i * per);
    const auto vectors_end = vectors + static_cast<std::ptrdiff_t>(per);
    if (!idle(t.cubes[i]) || !std::all_of(vectors, vectors_end, idle)) continue;
    take(t.cubes[i]);
    std::for_each(vectors, vectors_end, take);
    return true;
  }
  return false;
}

std::size_t Chip::idle_units(const Thread& t, CoreSet s) const {
  const auto idle = [&](int core) { return cores_[static_cast<std::size_t>(core)].runs.empty(); };
  if (s != CoreSet::Mixed)
    return static_cast<std::size_t>(std::ranges::count_if(s == CoreSet::Cube ? t.cubes : t.vectors, idle));
  const auto per = static_cast<std::size_t>(platform_.vectors_per_cluster);
  std::size_t count = 0;
  for (std::size_t i = 0; i < t.cubes.size(); ++i) {
    const auto vectors = t.vectors.begin() + static_cast<std::ptrdiff_t>(i * per);
    count += idle(t.cubes[i]) &&
             std::all_of(vectors, vectors + static_cast<std::ptrdiff_t>(per), idle);
  }
  return count;
}

bool Chip::can_start_together() const {
  if (together_.empty()) return false;
  const uint32_t s = together_.front().submission;
  std::size_t idle = 0;
  for (const Thread& t : threads_) idle += idle_units(t, cores_for(s));
  return idle >= submissions_[s].blocks_left;
}

void Chip::hand_out_together(std::size_t index, const Work& work) {
  Thread& t = threads_[index];
  const uint32_t s = work.ready().submission;
  const CoreSet set = cores_for(s);
  const uint32_t blocks = submissions_[s].blocks_left;
  const bool alone = idle_units(t, set) >= blocks;
  if (!alone && work.queue != &together_) {  // every thread has to make room for it
    together_.push_back(work.ready());
    work.pop();
    if (!can_start_together()) {
      t.since = now_ + rt_.idle;
      t.at = 0;
      for (std::size_t i = 0; i < threads_.size(); ++i) wake_later(i);
      return;
    }
    return hand_out_together(index, {&together_, false});
  }
  Time at = now_;
  std::vector<uint32_t> runs;
  RunningTask cores;
  const auto hand_out_on = [&](Thread& owner) {
    while (runs.size() < blocks && take_idle_unit(owner, set, cores)) {
      at += rt_.dispatch;
      hand_out(work, cores, at);
      runs.push_back(cores_[static_cast<std::size_t>(cores.cores[0])].runs.back());
    }
  };
  hand_out_on(t);
  for (Thread& other : threads_)
    if (&other != &t && runs.size() < blocks) {
      hand_out_on(other);
      if (other.busy) continue;  // it looks at its cores when it is done
      other.since = at;
      other.at = 0;
    }
  for (uint32_t id : runs) {
    runs_[id].dispatched = record_.tasks[runs_[id].task.index()].dispatch = at;
    begin_when_possible(id);
  }
  record_.scheduler_busy[index] += at - now_;
  t.busy = true;
  post(at, What::Dispatch, static_cast<uint32_t>(index));
  for (std::size_t i = 0; i < threads_.size(); ++i) wake_later(i);
}

}  // namespace tilewright::sim
