// Tasks that are put on cores before they are ready (`allow_early_resolve`). Every producer they wait
// for must allow it and must be on cores itself, not early. The core reads its task ahead and starts
// it when the scheduler writes to its doorbell register, after the last producer has ended.
#include <algorithm>

#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

namespace {

constexpr std::size_t kEarlyQueue = 64;  // tasks that wait to be put on cores early
constexpr int64_t kDoorbell = 140'000;   // ps: a register of the core is written and seen

}  // namespace

bool Chip::may_be_early(uint32_t s) const {
  const auto preds = order_.preds_of(s);
  return scheduling_.early && !preds.empty() && !starts_together(s) &&
         std::ranges::all_of(preds, [&](uint32_t p) {
           const TaskOrder* order = graph_.submissions[p].order;
           return order && order->early;
         });
}

void Chip::queue_early(uint32_t s) {
  Queue& queue = early_[static_cast<std::size_t>(cores_for(s))];
  if (queue.size() < kEarlyQueue) queue.push_back({s, 0, now_});
}

void Chip::count_early_waits(uint32_t s) {
  Submission& sub = submissions_[s];
  if (sub.waits_for == 0 || !may_be_early(s)) return;
  for (uint32_t p : order_.preds_of(s))
    sub.early_waits += !submissions_[p].done && !submissions_[p].all_handed_out;
  if (sub.early_waits == 0) queue_early(s);
}

void Chip::tell_handed_out(uint32_t p) {
  submissions_[p].all_handed_out = true;
  if (!scheduling_.early) return;
  for (int32_t c = submissions_[p].first_consumer; c >= 0;
       c = consumers_[static_cast<std::size_t>(c)].next) {
    const uint32_t s = consumers_[static_cast<std::size_t>(c)].submission;
    Submission& sub = submissions_[s];
    if (sub.early_waits == 0 || --sub.early_waits > 0) continue;
    if (sub.waits_for > 0) queue_early(s);
  }
}

Chip::Queue* Chip::early_queue(CoreSet s) {
  auto& queue = early_[static_cast<std::size_t>(s)];
  if (queue.empty() || !together_.empty()) return nullptr;
  const auto any = [](const std::array<Queue, kCoreSets>& queues) {
    return std::ranges::any_of(queues, [](const Queue& q) { return !q.empty(); });
  };
  if (any(global_)) return nullptr;
  for (const Thread& t : threads_)
    if (any(t.local)) return nullptr;
  return &queue;
}

bool Chip::stage(std::size_t index) {
  Thread& t = threads_[index];
  for (CoreSet s : t.preferred) {
    Queue* queue = early_queue(s);
    RunningTask cores;
    if (!queue || !take_unit(t, s, cores)) continue;
    ++submissions_[queue->front().submission].staged;
    const Time at = now_ + cores.core_count * rt_.dispatch;
    hand_out({queue, false}, cores, at);
    busy(index, RuntimeWork::Stage, at);
    t.busy = true;
    post(at, What::Dispatch, static_cast<uint32_t>(index));
    return true;
  }
  return false;
}

void Chip::release(uint32_t s) {
  if (!scheduling_.early) return;
  std::erase_if(early_[static_cast<std::size_t>(cores_for(s))],
                [&](const Ready& r) { return r.submission == s; });
  for (uint32_t b = 0; b < submissions_[s].staged; ++b) {
    TaskRecord& record = record_.tasks[task_of(s, b).index()];
    record.ready = now_;
    record.last_producer = submissions_[s].last_producer;
    const auto& held = cores_[static_cast<std::size_t>(record.lane)].runs;
    const auto id = std::ranges::find_if(
        held, [&](uint32_t r) { return runs_[r].task == task_of(s, b); });
    RunningTask& run = runs_[*id];
    run.gated = false;
    run.released = now_ + kDoorbell;
    for (int i = 0; i < run.core_count; ++i) poll(run.cores[static_cast<std::size_t>(i)]);
    begin_when_possible(*id);
  }
  if (submissions_[s].staged == submissions_[s].blocks_left) tell_handed_out(s);
}

}  // namespace tilewright::sim
