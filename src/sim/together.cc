// Launches whose blocks start together (`sync_start`). A thread that has idle cores for all of them
// hands them out. Otherwise every thread stops dispatching and goes on completing, until the chip has
// enough idle cores; then one thread hands out all blocks.
#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

bool Chip::starts_together(uint32_t s) const {
  const uint32_t first = order_.first_task[s];
  return order_.first_task[s + 1] - first > 1 && plan_.kernel(graph_.tasks[first].kernel).sync_start;
}

bool Chip::is_idle_cluster(const Thread& t, std::size_t i) const {
  const auto per = static_cast<std::size_t>(platform_.vectors_per_cluster);
  for (std::size_t v = i * per; v < (i + 1) * per; ++v)
    if (!is_idle(t.vectors[v])) return false;
  return is_idle(t.cubes[i]);
}

bool Chip::take_idle_unit(const Thread& t, CoreSet s, RunningTask& run) const {
  run.core_count = 0;
  const auto take = [&](int core) { run.cores[static_cast<std::size_t>(run.core_count++)] = core; };
  if (s != CoreSet::Mixed) {
    for (int core : s == CoreSet::Cube ? t.cubes : t.vector_order)
      if (is_idle(core)) return take(core), true;
    return false;
  }
  const auto per = static_cast<std::size_t>(platform_.vectors_per_cluster);
  for (std::size_t i = 0; i < t.cubes.size(); ++i) {
    if (!is_idle_cluster(t, i)) continue;
    take(t.cubes[i]);
    for (std::size_t v = i * per; v < (i + 1) * per; ++v) take(t.vectors[v]);
    return true;
  }
  return false;
}

std::size_t Chip::idle_units(const Thread& t, CoreSet s) const {
  std::size_t count = 0;
  if (s == CoreSet::Mixed)
    for (std::size_t i = 0; i < t.cubes.size(); ++i) count += is_idle_cluster(t, i);
  else
    for (int core : s == CoreSet::Cube ? t.cubes : t.vectors) count += is_idle(core);
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
  if (!alone && work.queue != &together_) {  // all threads must free cores for it
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
      at += cores.core_count * rt_.dispatch;
      hand_out(work, cores, at);
      runs.push_back(cores_[static_cast<std::size_t>(cores.cores[0])].runs.back());
    }
  };
  hand_out_on(t);
  for (Thread& other : threads_)
    if (&other != &t && runs.size() < blocks) {
      hand_out_on(other);
      if (other.busy) continue;  // it checks its cores when it has finished
      other.since = at;
      other.at = 0;
    }
  for (uint32_t id : runs) {
    runs_[id].dispatched = record_.tasks[runs_[id].task.index()].dispatch = at;
    begin_when_possible(id);
  }
  busy(index, RuntimeWork::Dispatch, at);
  t.busy = true;
  post(at, What::Dispatch, static_cast<uint32_t>(index));
  for (std::size_t i = 0; i < threads_.size(); ++i) wake_later(i);
}

}  // namespace tilewright::sim
