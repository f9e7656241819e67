#include "tilewright/session/device_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/device/match.h"
#include "tilewright/ir/plan.h"

namespace tilewright::session {
namespace {

// The order that the prediction follows, between submissions that have tasks.
device::TaskProducers producers_of(const ir::RuntimeGraph& order) {
  std::vector<std::size_t> index(order.submissions());
  std::size_t next = 0;
  for (uint32_t s = 0; s < order.submissions(); ++s)
    index[s] = order.first_task[s] == order.first_task[s + 1] ? SIZE_MAX : next++;
  device::TaskProducers out(next);
  for (uint32_t s = 0; s < order.submissions(); ++s) {
    if (index[s] == SIZE_MAX) continue;
    for (uint32_t p : order.preds_of(s))
      if (index[p] != SIZE_MAX) out[index[s]].push_back(index[p]);
    std::ranges::sort(out[index[s]]);
  }
  return out;
}

EdgeComparison compare(const device::TaskProducers& measured,
                       const device::TaskProducers& predicted) {
  EdgeComparison out;
  for (std::size_t t = 0; t < measured.size(); ++t) {
    const auto& m = measured[t];
    const auto& p = predicted[t];
    for (std::size_t from : m)
      if (std::ranges::binary_search(p, from))
        ++out.both;
      else
        out.only_measured.emplace_back(from, t);
    for (std::size_t from : p)
      if (!std::ranges::binary_search(m, from)) out.only_predicted.emplace_back(from, t);
  }
  return out;
}

// What stands out only when the files are held against each other.
void tell_limits(DeviceRun& run, const device::DeviceTasks& tasks,
                 const std::optional<device::TaskProducers>& producers) {
  std::vector<std::string>& limits = run.profile.limits;
  if (tasks.undescribed > 0)
    limits.push_back(fmt::format("deps.json lacks {} of the {} tasks that ran", tasks.undescribed,
                                 tasks.list.size()));
  const std::size_t odd = producers ? device::impossible_edges(run.record, tasks, *producers) : 0;
  if (odd > 0)
    limits.push_back(fmt::format(
        "{} of the edges end after their consumer began: deps.json may be of another run", odd));
}

// What the program itself says of each task: bytes, rows, multiply-adds.
void take_work(const ir::RunRecord& predicted, ir::RunRecord& measured) {
  measured.profiles = predicted.profiles;
  for (std::size_t t = 0; t < measured.tasks.size(); ++t)
    measured.tasks[t].profile = predicted.tasks[t].profile;
}

}  // namespace

bool DeviceRun::has_latency() const {
  return std::ranges::any_of(profile.executions, [](const device::Execution& e) {
    return e.dispatch != device::kUnrecorded;
  });
}

std::string DeviceRun::submission_name(std::size_t i) const {
  return ir::task_name(plan(), graph(), ir::TaskId(first_task[i]));
}

DeviceRun device_run(device::Profile profile, const platform::Platform& machine) {
  DeviceRun run;
  run.profile = std::move(profile);
  run.machine = machine;
  const device::DeviceTasks tasks = device::device_tasks(run.profile);
  run.nameless = device::nameless_run(run.profile, tasks);
  run.record = run.nameless.record;
  run.first_task = device::first_blocks(tasks);
  const auto producers = device::producers_of(run.profile, tasks);
  tell_limits(run, tasks, producers);
  if (producers) {
    run.edges.emplace();
    for (const auto& of_task : *producers) run.edges->both += of_task.size();
  }
  run.measured = report::profile(run.plan(), run.graph(), run.record, run.machine);
  return run;
}

DeviceRun device_run(device::Profile profile, const catalog::ProgramDef& def,
                     const Request& request, const TimeOptions& options) {
  DeviceRun run;
  run.profile = std::move(profile);
  run.machine = request.machine();
  run.predicted = predict(def, request, options);
  if (!run.passed()) return run;
  Session& s = *run.predicted->session;
  const device::DeviceTasks tasks = device::device_tasks(run.profile);
  run.record = device::match(run.profile, tasks, *s.plan(), *s.graph());
  take_work(*run.predicted->record, run.record);
  run.first_task = device::first_blocks(tasks);
  const auto measured = device::producers_of(run.profile, tasks);
  const device::TaskProducers predicted = producers_of(s.order());
  device::find_waits(run.record, tasks, measured ? *measured : predicted);
  if (measured) run.edges = compare(*measured, predicted);
  tell_limits(run, tasks, measured);
  run.measured = report::profile(*s.plan(), *s.graph(), run.record, run.machine);
  return run;
}

}  // namespace tilewright::session
