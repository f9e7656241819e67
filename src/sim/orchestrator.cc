// The orchestrator: submissions in program order, what they allocate, and who waits for them.
#include <unordered_set>
#include <utility>

#include "tilewright/sim/chip.h"

namespace tilewright::sim {

using namespace ir;

namespace {

constexpr std::size_t kLocalStack = 64;  // tasks of one kind that a thread keeps for itself

}  // namespace

CoreSet Chip::cores_for(uint32_t s) const {
  const CoreKind core = plan_.kernel(graph_.tasks[order_.first_task[s]].kernel).core;
  return core == CoreKind::Mixed ? CoreSet::Mixed
                                 : (core == CoreKind::Cube ? CoreSet::Cube : CoreSet::Vector);
}

// A tensor that the program makes is allocated with the first submission that touches it, the ring
// of a mixed task with the task. What is made in one trip of a loop is allocated by one call.
void Chip::measure_heap() {
  std::vector<bool> made(graph_.buffers.size());
  std::unordered_set<uint32_t> called;  // trips
  heap_before_.assign(order_.submissions() + 1, 0);
  allocations_.assign(order_.submissions(), 0);
  for (uint32_t s = 0; s < order_.submissions(); ++s) {
    int64_t bytes = ring_bytes(s);
    if (bytes > 0) allocations_[s] += called.insert(graph_.submissions[s].trip).second;
    for (uint32_t t = order_.first_task[s]; t < order_.first_task[s + 1]; ++t)
      for (const Access& a : graph_.accesses_of(graph_.tasks[t])) {
        const Buffer& buffer = graph_.buffers[a.buffer.index()];
        if (buffer.param >= 0 || made[a.buffer.index()]) continue;
        made[a.buffer.index()] = true;
        bytes += buffer.bytes();
        allocations_[s] += called.insert(buffer.trip).second;
      }
    heap_before_[s + 1] = heap_before_[s] + bytes;
  }
}

// Window and heap are rings: free space begins after the oldest unfinished submission.
bool Chip::has_room(uint32_t s) const {
  if (s == oldest_) return true;
  return s - oldest_ < static_cast<uint64_t>(platform_.runtime->task_window) &&
         heap_before_[s + 1] - heap_before_[oldest_] <= platform_.runtime->heap_bytes;
}

// Of the rings in GM through which the cores of a mixed task hand values over; every block has its
// own.
int64_t Chip::ring_bytes(uint32_t s) const {
  const uint32_t first = order_.first_task[s];
  const int64_t blocks = order_.first_task[s + 1] - first;
  if (blocks == 0) return 0;
  int64_t bytes = 0;
  for (const Storage& storage : plan_.kernel(graph_.tasks[first].kernel).lowered.storage)
    if (storage.is_ring()) bytes += storage.bytes * storage.copies;
  return blocks * bytes;
}

// The ring of a mixed task is one of its arguments. An allocation comes before the submission, by a
// call of its own.
Chip::Time Chip::submission_cost(uint32_t s) const {
  const uint32_t first = order_.first_task[s];
  const bool empty = first == order_.first_task[s + 1];  // a launch of no blocks
  const std::size_t args = empty ? 0 : plan_.kernel(graph_.tasks[first].kernel).args.size();
  const Time handed = static_cast<Time>(args) + (ring_bytes(s) > 0 ? 1 : 0);
  Time live = 0;
  if (scheduling_.wiring == platform::Scheduling::Wiring::Orchestrator)
    for (uint32_t p : order_.preds_of(s)) live += submissions_[p].done ? 0 : 1;
  return rt_.submit + handed * rt_.submit_arg + live * rt_.submit_producer +
         allocations_[s] * rt_.allocate;
}

// Starts work on a submission, unless there is no room for it yet.
void Chip::submit_next(uint32_t s) {
  if (s >= order_.submissions()) return;
  if (!has_room(s)) {
    blocked_ = s;
    return;
  }
  const Time cost = submission_cost(s);
  record_.submit_busy += cost;
  if (options_.keep_phases)
    record_.phases.push_back({.submission = s, .begin = now_, .end = now_ + cost});
  post(now_ + cost, What::Submit, s);
}

void Chip::submit(uint32_t s) {
  Submission& sub = submissions_[s];
  sub.submitted = true;
  sub.blocks_left = order_.first_task[s + 1] - order_.first_task[s];
  for (uint32_t b = 0; b < sub.blocks_left; ++b)
    record_.tasks[task_of(s, b).index()].submitted = now_;
  if (scheduling_.wiring == platform::Scheduling::Wiring::Orchestrator) {
    enter(s);
  } else {
    if (unwired_.empty()) unwired_since_ = now_;
    unwired_.push_back(s);
    wake_later(0);
  }
  while (oldest_ < submissions_.size() && submissions_[oldest_].done) ++oldest_;
  submit_next(s + 1);
}

void Chip::enter(uint32_t s) {
  Submission& sub = submissions_[s];
  for (uint32_t p : order_.preds_of(s)) {
    Submission& producer = submissions_[p];
    if (producer.done) continue;
    ++sub.waits_for;
    consumers_.push_back({s, producer.first_consumer});
    producer.first_consumer = static_cast<int32_t>(consumers_.size() - 1);
  }
  count_early_waits(s);
  if (sub.blocks_left == 0) {
    sub.done = true;  // a launch of no blocks
  } else if (sub.waits_for == 0) {
    push(global_[static_cast<std::size_t>(cores_for(s))], s);
    for (std::size_t i = 0; i < threads_.size(); ++i) wake_later(i);
  }
}

// The last block has been completed: informs the consumers, the newest first.
void Chip::finish_submission(uint32_t s, Thread& thread) {
  Submission& sub = submissions_[s];
  sub.done = true;
  for (int32_t c = sub.first_consumer; c >= 0; c = consumers_[static_cast<std::size_t>(c)].next) {
    const uint32_t consumer = consumers_[static_cast<std::size_t>(c)].submission;
    Submission& waiting = submissions_[consumer];
    if (--waiting.waits_for > 0) continue;
    waiting.last_producer = task_of(s, order_.first_task[s + 1] - order_.first_task[s] - 1);
    release(consumer);
    if (waiting.staged == waiting.blocks_left) continue;
    const auto set = static_cast<std::size_t>(cores_for(consumer));
    const bool stays = scheduling_.local_stack && thread.local[set].size() < kLocalStack;
    push(stays ? thread.local[set] : global_[set], consumer);
  }
  if (!scheduling_.local_stack)
    for (std::size_t i = 0; i < threads_.size(); ++i) wake_later(i);
  while (oldest_ < submissions_.size() && submissions_[oldest_].done) ++oldest_;
  if (blocked_ != UINT32_MAX && has_room(blocked_)) submit_next(std::exchange(blocked_, UINT32_MAX));
}

void Chip::push(Queue& queue, uint32_t s) {
  queue.push_back({s, submissions_[s].staged, now_});
  for (uint32_t b = submissions_[s].staged; b < submissions_[s].blocks_left; ++b) {
    TaskRecord& t = record_.tasks[task_of(s, b).index()];
    t.ready = now_;
    t.last_producer = submissions_[s].last_producer;
  }
}

}  // namespace tilewright::sim
