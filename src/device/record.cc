#include "tilewright/device/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>

#include "tilewright/ir/waits.h"

namespace tilewright::device {
namespace {

void add_lanes(const Profile& p, ir::RunRecord& record) {
  const std::vector<int> clusters = clusters_of(p.cores);
  int cube = 0, vector = 0;
  for (std::size_t c = 0; c < p.cores.size(); ++c) {
    const bool is_cube = p.cores[c] == ir::CoreKind::Cube;
    record.lanes.push_back(
        {is_cube ? fmt::format("AIC {}", cube++) : fmt::format("AIV {}", vector++), p.cores[c],
         clusters[c]});
  }
}

void add_runtime(const Profile& p, ir::RunRecord& record) {
  for (const Submitting& s : p.submissions)
    if (s.begin != kUnrecorded) record.submit_busy += s.end - s.begin;
  record.scheduler_busy.resize(p.threads);
  for (const Phase& phase : p.phases)
    if (counts_as_busy(phase.kind)) record.scheduler_busy[phase.thread] += phase.end - phase.begin;
}

}  // namespace

bool counts_as_busy(std::string_view kind) {
  constexpr std::array<std::string_view, 8> kNot{"resolve",       "fanout",     "drain_prepare",
                                                 "drain_publish", "dummy_task", "predicated_skip",
                                                 "idle",          "poll"};
  return std::ranges::find(kNot, kind) == kNot.end();
}

std::vector<int> clusters_of(const std::vector<ir::CoreKind>& cores) {
  const auto cubes = std::ranges::count(cores, ir::CoreKind::Cube);
  const auto vectors = std::ssize(cores) - cubes;
  const int per = cubes > 0 ? static_cast<int>(std::max<std::ptrdiff_t>(1, vectors / cubes)) : 1;
  int cube = 0, vector = 0;
  std::vector<int> out;
  for (ir::CoreKind k : cores) out.push_back(k == ir::CoreKind::Cube ? cube++ : vector++ / per);
  return out;
}

std::size_t impossible_edges(const ir::RunRecord& record, const DeviceTasks& tasks,
                             const TaskProducers& producers) {
  const std::vector<std::size_t> first = first_blocks(tasks);
  const auto ends = [&](std::size_t i) {
    int64_t last = 0;
    for (std::size_t b = first[i]; b < first[i + 1]; ++b)
      last = std::max(last, record.tasks[b].end);
    return last;
  };
  const auto starts = [&](std::size_t i) {
    int64_t soonest = INT64_MAX;
    for (std::size_t b = first[i]; b < first[i + 1]; ++b)
      soonest = std::min(soonest, record.tasks[b].start);
    return soonest;
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < producers.size(); ++i)
    count += static_cast<std::size_t>(std::ranges::count_if(producers[i], [&](std::size_t from) {
      return ends(from) > starts(i);
    }));
  return count;
}

std::vector<std::size_t> first_blocks(const DeviceTasks& tasks) {
  std::vector<std::size_t> out{0};
  for (const DeviceTask& t : tasks.list) out.push_back(out.back() + t.blocks.size());
  return out;
}

std::optional<TaskProducers> producers_of(const Profile& p, const DeviceTasks& tasks) {
  if (!p.edges) return std::nullopt;
  std::unordered_map<TaskNumber, std::size_t> index;
  for (std::size_t i = 0; i < tasks.list.size(); ++i) index[tasks.list[i].info.task] = i;
  std::unordered_map<TaskNumber, std::vector<TaskNumber>> preds;
  for (const EdgeInfo& e : *p.edges) preds[e.to].push_back(e.from);

  TaskProducers out(tasks.list.size());
  for (std::size_t i = 0; i < tasks.list.size(); ++i) {
    std::set<std::size_t> found;
    std::set<TaskNumber> passed;  // tasks without kernels
    std::vector<TaskNumber> open{tasks.list[i].info.task};
    while (!open.empty()) {
      const TaskNumber at = open.back();
      open.pop_back();
      const auto it = preds.find(at);
      if (it == preds.end()) continue;
      for (TaskNumber from : it->second) {
        if (const auto known = index.find(from); known != index.end())
          found.insert(known->second);
        else if (passed.insert(from).second)
          open.push_back(from);
      }
    }
    found.erase(i);
    out[i].assign(found.begin(), found.end());
  }
  return out;
}

ir::RunRecord record_of(const Profile& p, const DeviceTasks& tasks) {
  ir::RunRecord record;
  add_lanes(p, record);
  add_runtime(p, record);
  for (const DeviceTask& t : tasks.list)
    for (const Block& b : t.blocks) {
      ir::TaskRecord r;
      r.submitted = std::max<int64_t>(0, t.submitted);
      r.dispatch = b.dispatch;
      r.start = b.start;
      r.end = b.end;
      r.finish = b.finish;
      r.lane = b.core;
      record.tasks.push_back(r);
    }
  return record;
}

void find_waits(ir::RunRecord& record, const DeviceTasks& tasks,
                const std::optional<TaskProducers>& producers) {
  const std::vector<std::size_t> first = first_blocks(tasks);
  std::vector<std::size_t> task_of(record.tasks.size());
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    std::fill(task_of.begin() + static_cast<std::ptrdiff_t>(first[i]),
              task_of.begin() + static_cast<std::ptrdiff_t>(first[i + 1]), i);
  ir::find_waits(record, [&](ir::TaskId t, const std::function<void(ir::TaskId)>& see) {
    if (!producers) return;
    // A task that started later was not waited for, whatever the files say. So no chain of waits
    // comes back to where it began.
    const auto started = [&](std::size_t task) {
      return std::pair(record.tasks[task].start, task);
    };
    for (std::size_t from : (*producers)[task_of[t.index()]])
      for (std::size_t b = first[from]; b < first[from + 1]; ++b)
        if (started(b) < started(t.index())) see(ir::TaskId(b));
  });
}

}  // namespace tilewright::device
