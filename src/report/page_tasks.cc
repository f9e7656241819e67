#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>

#include "tilewright/ir/plan.h"
#include "tilewright/report/page_parts.h"

namespace tilewright::report {

using namespace ir;

namespace {

// The unit of a page's times in picoseconds: the smallest power of ten in which the run fits 32
// bits.
int64_t tick_of(const RunRecord& record) {
  int64_t tick = 1;
  while (record.total() / tick > INT32_MAX) tick *= 10;
  return tick;
}

template <class F>
Object column_of(std::size_t count, F&& value) {
  std::vector<int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
  return column(values);
}

// Values of the scalars that tell a kernel's tasks apart, one task after the other.
Object scalars_of(const Executed& e) {
  std::vector<int64_t> values;
  for (const Task& t : e.graph.tasks) {
    const auto& scalars = e.plan.kernel(t.kernel).scalars;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      const int64_t bits = e.graph.scalars[t.scalars_begin + i];
      const bool real = is_float(e.plan.program[scalars[i]].dtype);
      values.push_back(real ? static_cast<int64_t>(std::bit_cast<double>(bits)) : bits);
    }
  }
  return column(values);
}

// Producers of each task, every one once, as distances back: small numbers pack well.
Object producers_of(const TaskGraph& graph) {
  std::vector<int64_t> counts, distances;
  std::vector<std::size_t> from;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    from.clear();
    for (const Edge& edge : graph.preds(TaskId(t))) from.push_back(edge.from.index());
    std::ranges::sort(from);
    from.erase(std::unique(from.begin(), from.end()), from.end());
    counts.push_back(static_cast<int64_t>(from.size()));
    for (std::size_t f : from) distances.push_back(static_cast<int64_t>(t - f));
  }
  return {{"count", column(counts)}, {"distance", column(distances)}};
}

}  // namespace

Object tasks_data(const Executed& e) {
  const auto& tasks = e.record.tasks;
  const int64_t origin = e.record.first_dispatch();
  const int64_t tick = tick_of(e.record);
  const auto time = [&](auto&& ps) {
    return column_of(tasks.size(), [&](std::size_t i) { return (ps(tasks[i]) + tick / 2) / tick; });
  };
  const auto profile_of = [&](std::size_t i) -> const KernelProfile& {
    return e.record.profiles[tasks[i].profile];
  };
  Object j;
  j["count"] = tasks.size();
  j["tick_ps"] = tick;
  j["kernel"] = column_of(tasks.size(), [&](std::size_t i) {
    return static_cast<int64_t>(e.graph.tasks[i].kernel.index());
  });
  j["lane"] = column_of(tasks.size(), [&](std::size_t i) { return tasks[i].lane; });
  // Differences instead of times keep most columns narrow: the page adds wait, head and exec to
  // `start`.
  j["start"] = time([&](const TaskRecord& t) { return t.start - origin; });
  j["exec"] = time([](const TaskRecord& t) { return t.end - t.start; });
  j["head"] = time([](const TaskRecord& t) { return t.start - t.dispatch; });
  j["tail"] = time([](const TaskRecord& t) { return t.finish - t.end; });
  j["wait"] = time([](const TaskRecord& t) { return std::max<int64_t>(0, t.dispatch - t.ready); });
  j["gm_read"] = column_of(tasks.size(), [&](std::size_t i) { return profile_of(i).gm_read; });
  j["gm_write"] = column_of(tasks.size(), [&](std::size_t i) { return profile_of(i).gm_write; });
  j["hbm"] = column_of(tasks.size(), [&](std::size_t i) { return tasks[i].hbm_bytes; });
  j["scalars"] = scalars_of(e);
  j["producers"] = producers_of(e.graph);
  return j;
}

Object path_data(const Executed& e) {
  const auto& steps = e.profile.path.steps;
  Object j;
  j["task"] = column_of(steps.size(),
                        [&](std::size_t i) { return static_cast<int64_t>(steps[i].task.index()); });
  j["waited"] = column_of(steps.size(), [&](std::size_t i) {
    return static_cast<int64_t>(steps[i].waited);  // submission, data, core
  });
  j["exec_us"] = e.profile.path.exec_us;
  j["dispatch_us"] = e.profile.path.dispatch_us;
  j["submission_us"] = e.profile.path.submission_us;
  return j;
}

}  // namespace tilewright::report
