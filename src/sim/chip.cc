#include "tilewright/sim/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::sim {

using namespace ir;

namespace {

RuntimeTimes runtime_times(const platform::RuntimeCosts& r, bool profiling) {
  const auto ps = Costs::from_ns;
  return {ps(r.submit_ns),
          ps(r.submit_arg_ns),
          ps(r.submit_producer_ns),
          ps(r.wire_ns),
          ps(r.poll_ns),
          ps(r.idle_loop_ns),
          ps(r.complete_ns),
          ps(r.complete_edge_ns),
          ps(r.dispatch_ns),
          ps(r.start_ns),
          ps(r.cold_start_ns),
          ps(r.switch_ns),
          ps(r.finish_seen_ns),
          profiling ? ps(r.profile_core_ns) : 0,
          profiling ? ps(r.profile_scheduler_ns) : 0};
}

constexpr std::size_t kLocalStack = 64;  // tasks of one kind that a thread keeps for itself

ReadElement reader(const Plan& plan, const TaskGraph& graph, const Bindings* bindings) {
  if (!bindings) return {};
  return
      [&plan, &graph, bindings](const TensorRef& ref, int64_t element) -> std::optional<double> {
        const int param = ref.buffer.valid() ? graph.buffers[ref.buffer.index()].param : -1;
        if (param < 0 || static_cast<std::size_t>(param) >= bindings->arrays.size())
          return std::nullopt;
        const HostArray* array = bindings->arrays[static_cast<std::size_t>(param)];
        const bool input =
            plan.program.params[static_cast<std::size_t>(param)].direction == Direction::In;
        if (!array || !input) return std::nullopt;
        return array->at(element);
      };
}

}  // namespace

Chip::Chip(const Plan& plan, const TaskGraph& graph, const RuntimeGraph& order,
           const platform::Platform& platform, const Options& options)
    : plan_(plan),
      graph_(graph),
      order_(order),
      platform_(platform),
      options_(options),
      costs_(platform),
      rt_(runtime_times(*platform.runtime, options.profiling)),
      scheduling_(options.scheduling),
      profiles_(plan, graph, costs_, reader(plan, graph, options.bindings), options),
      bandwidth_(profiles_, platform.timing->memory.hbm_gb_per_s),
      l2_(graph, platform.timing->memory.l2_bytes),
      submissions_(order.submissions()) {
  record_.tasks.resize(graph.tasks.size());
  make_cores();
  measure_heap();
  record_.scheduler_busy.resize(threads_.size());
}

RunRecord Chip::run() {
  constexpr uint64_t kEventsPerReport = 1 << 16;
  if (order_.submissions() > 0) submit_next(0);
  while (!events_.empty()) {
    const Event e = events_.top();
    events_.pop();
    now_ = e.time;
    handle(e);
    if (++record_.events % kEventsPerReport == 0 && options_.progress)
      options_.progress(static_cast<double>(finished_tasks_) /
                        static_cast<double>(graph_.tasks.size()));
  }
  require_finished();
  record_.profiles = profiles_.release();
  return std::move(record_);
}

void Chip::post(Time t, What what, uint32_t id, uint32_t generation) {
  events_.push({t, posted_++, what, id, generation});
}

void Chip::handle(const Event& e) {
  switch (e.what) {
    case What::Submit: return submit(e.id);
    case What::Start: return start(e.id);
    case What::Acknowledged: return wake_later(e.id);
    case What::End:
      if (runs_[e.id].generation == e.generation) end(e.id);
      return;
    case What::Wake:
      if (threads_[e.id].generation == e.generation) wake(e.id);
      return;
    case What::Wired: return wired(e.id);
    case What::Completed: return completed(e.id);
    case What::Dispatch: return dispatch(e.id);
  }
}

// ---- orchestrator ------------------------------------------------------------------------------

CoreSet Chip::cores_for(uint32_t s) const {
  const CoreKind core = plan_.kernel(graph_.tasks[order_.first_task[s]].kernel).core;
  return core == CoreKind::Mixed ? CoreSet::Mixed
                                 : (core == CoreKind::Cube ? CoreSet::Cube : CoreSet::Vector);
}

// A tensor that the program makes is allocated with the first submission that touches it.
void Chip::measure_heap() {
  std::vector<bool> made(graph_.buffers.size());
  heap_before_.assign(order_.submissions() + 1, 0);
  for (uint32_t s = 0; s < order_.submissions(); ++s) {
    int64_t bytes = 0;
    for (uint32_t t = order_.first_task[s]; t < order_.first_task[s + 1]; ++t)
      for (const Access& a : graph_.accesses_of(graph_.tasks[t])) {
        const Buffer& buffer = graph_.buffers[a.buffer.index()];
        if (buffer.param >= 0 || made[a.buffer.index()]) continue;
        made[a.buffer.index()] = true;
        bytes += buffer.bytes();
      }
    heap_before_[s + 1] = heap_before_[s] + bytes;
  }
}

// Window and heap are rings: what is free begins after the oldest submission that is not done.
bool Chip::has_room(uint32_t s) const {
  if (s == oldest_) return true;
  return s - oldest_ < static_cast<uint64_t>(platform_.runtime->task_window) &&
         heap_before_[s + 1] - heap_before_[oldest_] <= platform_.runtime->heap_bytes;
}

// Starts work on a submission, unless there is no room for it yet.
void Chip::submit_next(uint32_t s) {
  if (s >= order_.submissions()) return;
  if (!has_room(s)) {
    blocked_ = s;
    return;
  }
  const uint32_t first = order_.first_task[s];
  const bool empty = first == order_.first_task[s + 1];  // a launch of no blocks
  const auto args =
      empty ? 0 : static_cast<int64_t>(plan_.kernel(graph_.tasks[first].kernel).args.size());
  int64_t live = 0;
  if (scheduling_.wiring == platform::Scheduling::Wiring::Orchestrator)
    for (uint32_t p : order_.preds_of(s)) live += !submissions_[p].done;
  const Time cost = rt_.submit + args * rt_.submit_arg + live * rt_.submit_producer;
  record_.submit_busy += cost;
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

// Its last block has been completed: consumers hear of it, the newest first.
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

// Nothing more happens, yet tasks are left: tell who waits for whom.
void Chip::require_finished() const {
  if (finished_tasks_ == graph_.tasks.size()) return;
  const uint32_t s = oldest_;
  const TaskId task = task_of(s, 0);
  std::string waits = "it waits for a core";
  for (uint32_t p : order_.preds_of(s))
    if (!submissions_[p].done)
      waits = fmt::format("it waits for {}", task_name(plan_, graph_, task_of(p, 0)));
  if (cores_for(s) != CoreSet::Vector && platform_.cube_cores == 0)
    waits = "the machine has no cube core";
  user_error(
      "deadlock",
      fmt::format("{} of {} never finish; the oldest is {}",
                  counted(static_cast<int64_t>(graph_.tasks.size() - finished_tasks_), "task"),
                  graph_.tasks.size(), task_name(plan_, graph_, task)),
      fmt::format("in the simulation of program {} on {}", plan_.program.name, platform_.name),
      waits, "give the machine what its tasks need, or the runtime a larger task_window");
}

RunRecord simulate(const Plan& plan, const TaskGraph& graph, const RuntimeGraph& order,
                   const platform::Platform& platform, const Options& options) {
  if (!platform.timing || !platform.runtime)
    user_error("no-timing",
               fmt::format("platform {} has no field {}", platform.name,
                           platform.timing ? "runtime" : "timing"),
               fmt::format("in the simulation of program {}", plan.program.name),
               "time can be predicted only on a machine that says how long things take",
               R"(use a2a3sim or a5sim, or start the file with "extends": "a2a3")");
  return Chip(plan, graph, order, platform, options).run();
}

}  // namespace tilewright::sim
