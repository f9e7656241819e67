#include "tilewright/sim/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/stop.h"
#include "tilewright/base/text.h"

namespace tilewright::sim {

using namespace ir;

namespace {

RuntimeTimes runtime_times(const platform::RuntimeCosts& r, bool profiling) {
  const auto ps = Costs::from_ns;
  return {ps(r.submit_ns),
          ps(r.submit_arg_ns),
          ps(r.submit_producer_ns),
          ps(r.allocate_ns),
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
    if (record_.events % 1024 == 0) stop_if_asked();
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

// A deadlock: no events are left, but tasks are. The error names the tasks that wait for each
// other.
void Chip::require_finished() const {
  if (finished_tasks_ == graph_.tasks.size()) return;
  const uint32_t s = oldest_;
  const TaskId task = task_of(s, 0);
  std::string waits = "the task waits for a core";
  for (uint32_t p : order_.preds_of(s))
    if (!submissions_[p].done)
      waits = fmt::format("the task waits for {}", task_name(plan_, graph_, task_of(p, 0)));
  if (cores_for(s) != CoreSet::Vector && platform_.cube_cores == 0)
    waits = "the machine has no cube core";
  user_error(
      "deadlock",
      fmt::format("{} of {} never finish; the oldest is {}",
                  counted(static_cast<int64_t>(graph_.tasks.size() - finished_tasks_), "task"),
                  graph_.tasks.size(), task_name(plan_, graph_, task)),
      fmt::format("in the simulation of program {} on {}", plan_.program.name, platform_.name),
      waits, "add the missing cores to the platform, or enlarge task_window");
}

RunRecord simulate(const Plan& plan, const TaskGraph& graph, const RuntimeGraph& order,
                   const platform::Platform& platform, const Options& options) {
  if (!platform.timing || !platform.runtime)
    user_error("no-timing",
               fmt::format("platform {} has no field {}", platform.name,
                           platform.timing ? "runtime" : "timing"),
               fmt::format("in the simulation of program {}", plan.program.name),
               "a prediction needs a platform with timing data",
               R"(use a2a3sim or a5sim, or start the file with "extends": "a2a3")");
  return Chip(plan, graph, order, platform, options).run();
}

}  // namespace tilewright::sim
