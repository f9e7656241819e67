// Runs on cores: when they start, how fast they go, when they end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

void Chip::make_cores() {
  const int clusters = platform_.cube_cores;
  const int per = platform_.vectors_per_cluster;
  const int threads = platform_.runtime->scheduler_threads;
  threads_.resize(static_cast<std::size_t>(threads));
  const auto add = [&](bool cube, int cluster, int number) {
    const int id = static_cast<int>(cores_.size());
    Core core;
    core.cluster = cluster;
    core.thread = cluster % threads;
    core.cube = cube;
    cores_.push_back(core);
    Thread& t = threads_[static_cast<std::size_t>(core.thread)];
    (cube ? t.cubes : t.vectors).push_back(id);
    cores_.back().poll_rank =
        scheduling_.polls_by_cluster ? cluster * (per + 1) + (cube ? 0 : 1 + number % per) : id;
    record_.lanes.push_back({fmt::format("{} {}", cube ? "AIC" : "AIV", number),
                             cube ? CoreKind::Cube : CoreKind::Vector, cluster});
  };
  for (int c = 0; c < clusters; ++c) add(true, c, c);
  for (int v = 0; v < clusters * per; ++v) add(false, v / per, v);
  for (Thread& t : threads_) {
    t.vector_order = t.vectors;
    if (!scheduling_.vectors_in_pairs)
      std::ranges::stable_sort(t.vector_order, {}, [&](int c) { return (c - clusters) % per; });
  }
  for (std::size_t i = 0; i < threads_.size(); ++i)
    threads_[i].preferred = i % 2 == 0 ? std::array{CoreSet::Mixed, CoreSet::Cube, CoreSet::Vector}
                                       : std::array{CoreSet::Mixed, CoreSet::Vector, CoreSet::Cube};
}

// Posts the start of a run once everything before it on its cores has ended. A task that waits on
// its core does not wait for the scheduler to notice the end of the one before.
void Chip::begin_when_possible(uint32_t id) {
  RunningTask& run = runs_[id];
  if (run.started || run.gated) return;
  Time at = now_;
  bool cold = false;
  for (int i = 0; i < run.core_count; ++i) {
    Core& core = cores_[static_cast<std::size_t>(run.cores[static_cast<std::size_t>(i)])];
    for (uint32_t earlier : core.runs) {
      if (earlier == id) break;
      if (!runs_[earlier].ended) return;
    }
    at = std::max(at, core.free_at);
    cold = cold || core.cold;
  }
  for (int i = 0; i < run.core_count; ++i)
    cores_[static_cast<std::size_t>(run.cores[static_cast<std::size_t>(i)])].cold = false;
  run.started = true;
  // A core that received its task early has already spent the start-up time while it waited.
  const Time awake = run.dispatched + rt_.start + (cold ? rt_.cold_start : 0);
  post(std::max({at, run.released, awake}), What::Start, id);
}

void Chip::assess(RunningTask& run) {
  const Task& task = graph_.tasks[run.task.index()];
  const Kernel& kernel = plan_.kernel(task.kernel);
  const std::size_t args = kernel.args.size();
  std::vector<L2::Touch> touched(args);
  for (const Access& a : graph_.accesses_of(task)) {
    if (kernel.external.valid()) break;  // what it moves is not known
    const L2::Touch t = l2_.touch(a);
    if (a.write) continue;
    for (std::size_t i = 0; i < args; ++i) {
      if (graph_.arg(task, i).buffer != a.buffer) continue;
      touched[i].bytes += t.bytes;
      touched[i].missed += t.missed;
      touched[i].untouched += t.untouched;
      break;
    }
  }
  uint64_t in_l2 = 0;
  for (std::size_t i = 0; i < args && i < 64; ++i)
    if (touched[i].untouched * 2 < touched[i].bytes || touched[i].bytes == 0)
      in_l2 |= uint64_t{1} << i;
  run.profile = profiles_.find(run.task, in_l2);
  const auto& by_arg = profiles_.hbm_by_arg(run.profile);
  TaskRecord& record = record_.tasks[run.task.index()];
  run.hbm_cost = 0;
  for (std::size_t i = 0; i < args; ++i) {
    record.hbm_bytes += touched[i].missed;
    if (i < 64 && (in_l2 >> i & 1)) continue;
    run.hbm_cost +=
        std::llround(static_cast<double>(by_arg[i]) * static_cast<double>(touched[i].untouched) /
                     static_cast<double>(touched[i].bytes));
  }
  record.profile = run.profile;
}

void Chip::start(uint32_t id) {
  RunningTask& run = runs_[id];
  assess(run);
  TaskRecord& t = record_.tasks[run.task.index()];
  t.start = now_;
  run.acknowledged = now_ + rt_.finish_seen;
  if (scheduling_.slots != platform::Scheduling::Slots::One)
    post(run.acknowledged, What::Acknowledged,
         static_cast<uint32_t>(cores_[static_cast<std::size_t>(run.cores[0])].thread));
  run.left = 1;
  run.since = now_;
  running_.push_back(id);
  bandwidth_.add(run.profile, run.hbm_cost);
  const double before = share_;
  reshare();
  if (share_ == before)  // else reshare has posted its end
    post(now_ + std::llround(profiles_.duration(run.profile, share_)), What::End, id,
         ++run.generation);
}

// Recomputes the speed of all running tasks after a change of their demand.
void Chip::reshare() {
  const double share = bandwidth_.share();
  if (share == share_) return;
  for (uint32_t id : running_) {
    RunningTask& run = runs_[id];
    run.left -= static_cast<double>(now_ - run.since) / profiles_.duration(run.profile, share_);
    run.left = std::max(run.left, 0.0);
    run.since = now_;
    const double rest = run.left * profiles_.duration(run.profile, share);
    post(now_ + std::llround(rest), What::End, id, ++run.generation);
  }
  share_ = share;
}

void Chip::end(uint32_t id) {
  RunningTask& run = runs_[id];
  run.ended = true;
  ++run.generation;
  TaskRecord& t = record_.tasks[run.task.index()];
  t.end = now_;
  running_.erase(std::ranges::find(running_, id));
  bandwidth_.remove(run.profile, run.hbm_cost);
  reshare();
  const Time reported = now_ + rt_.profile_core;
  run.finish_seen = (scheduling_.record_after_finish ? now_ : reported) + rt_.finish_seen;
  for (int i = 0; i < run.core_count; ++i)
    cores_[static_cast<std::size_t>(run.cores[static_cast<std::size_t>(i)])].free_at =
        reported + rt_.switch_over;
  for (int i = 0; i < run.core_count; ++i) {
    const Core& core = cores_[static_cast<std::size_t>(run.cores[static_cast<std::size_t>(i)])];
    for (uint32_t next : core.runs) begin_when_possible(next);
  }
  wake_later(static_cast<std::size_t>(cores_[static_cast<std::size_t>(run.cores[0])].thread));
}

}  // namespace tilewright::sim
