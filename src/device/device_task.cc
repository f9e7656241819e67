#include "tilewright/device/device_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/device/record.h"

namespace tilewright::device {
namespace {

using Executions = std::vector<const Execution*>;

bool is_cube(const Profile& p, int core) {
  return p.cores[static_cast<std::size_t>(core)] == ir::CoreKind::Cube;
}

// Of deps.json, else of what ran: both kinds of cores mean a mixed task.
std::size_t cores_per_block(const Profile& p, const TaskInfo& info, bool described,
                            const Executions& all) {
  if (described)
    return static_cast<std::size_t>(
        std::ranges::count_if(info.functions, [](int f) { return f >= 0; }));
  const auto cubes =
      std::ranges::count_if(all, [&](const Execution* e) { return is_cube(p, e->core); });
  return cubes > 0 && cubes < std::ssize(all) ? 2 : 1;
}

Block block_of(const Profile& p, const Execution& e) {
  Block b{.core = e.core, .kind = p.cores[static_cast<std::size_t>(e.core)]};
  b.start = e.start;
  b.end = e.end;
  b.dispatch = e.dispatch == kUnrecorded ? e.start : e.dispatch;
  b.finish = e.finish == kUnrecorded ? e.end : e.finish;
  return b;
}

void merge(Block& whole, const Block& part) {
  if (part.kind != whole.kind) {
    if (part.kind == ir::CoreKind::Cube) whole.core = part.core;
    whole.kind = ir::CoreKind::Mixed;
  }
  whole.start = std::min(whole.start, part.start);
  whole.end = std::max(whole.end, part.end);
  whole.dispatch = std::min(whole.dispatch, part.dispatch);
  whole.finish = std::max(whole.finish, part.finish);
}

// By core, the cluster that it belongs to. Where not all cores are known, cube cores and vector
// cores that took part are numbered in the same order.
std::map<int, std::size_t> clusters_of_parts(const Profile& p, const Executions& all,
                                             std::size_t cores_per_block) {
  if (p.all_cores) {
    std::map<int, std::size_t> out;
    const std::vector<int> clusters = clusters_of(p.cores);
    for (std::size_t c = 0; c < clusters.size(); ++c)
      out[static_cast<int>(c)] = static_cast<std::size_t>(clusters[c]);
    return out;
  }
  std::set<int> cubes, vectors;
  for (const Execution* e : all) (is_cube(p, e->core) ? cubes : vectors).insert(e->core);
  const std::size_t per =
      cubes.empty() ? cores_per_block : std::max<std::size_t>(1, vectors.size() / cubes.size());
  std::map<int, std::size_t> out;
  std::size_t cube = 0, vector = 0;
  for (int core : cubes) out[core] = cube++;
  for (int core : vectors) out[core] = vector++ / per;
  return out;
}

// The n-th executions of the cores of one cluster are one block.
std::vector<Block> blocks_by_cluster(const Profile& p, const Executions& all,
                                     std::size_t cores_per_block) {
  const auto clusters = clusters_of_parts(p, all, cores_per_block);
  std::map<std::pair<std::size_t, std::size_t>, Block> blocks;  // by cluster and number
  std::map<int, std::size_t> seen;                              // by core
  for (const Execution* e : all) {
    const Block part = block_of(p, *e);
    const std::size_t n = seen[e->core]++;
    const auto [it, added] = blocks.try_emplace({clusters.at(e->core), n}, part);
    if (!added) merge(it->second, part);
  }
  std::vector<Block> out;
  for (const auto& [key, b] : blocks) out.push_back(b);
  return out;
}

std::vector<Block> blocks_of(const Profile& p, const DeviceTask& task, Executions all) {
  std::ranges::stable_sort(all, {}, &Execution::start);
  const std::size_t cores = cores_per_block(p, task.info, task.described, all);
  std::vector<Block> out;
  if (cores > 1)
    out = blocks_by_cluster(p, all, cores);
  else
    for (const Execution* e : all) out.push_back(block_of(p, *e));
  std::ranges::stable_sort(out, {}, [](const Block& b) { return std::pair(b.dispatch, b.start); });
  return out;
}

// Functions that the records themselves name, each in its place.
void add_functions(const Profile& p, const Executions& all, TaskInfo& info) {
  for (const Execution* e : all)
    if (e->function >= 0) info.functions[is_cube(p, e->core) ? 0 : 1] = e->function;
}

std::vector<TaskNumber> numbers_in_order(const Profile& p,
                                         const std::unordered_map<TaskNumber, Executions>& executed,
                                         bool& ordered) {
  std::vector<TaskNumber> out;
  if (!p.submissions.empty()) {
    for (const Submitting& s : p.submissions)
      if (executed.contains(s.task)) out.push_back(s.task);
    if (out.size() == executed.size()) return out;
    out.clear();  // records of the orchestrator were lost
  }
  for (const auto& [task, list] : executed) out.push_back(task);
  std::ranges::sort(out);
  ordered = out.empty() || ring_of(out.front()) == ring_of(out.back());
  return out;
}

}  // namespace

DeviceTasks device_tasks(const Profile& p) {
  std::unordered_map<TaskNumber, Executions> executed;
  for (const Execution& e : p.executions) executed[e.task].push_back(&e);
  std::unordered_map<TaskNumber, int64_t> submitted;
  for (const Submitting& s : p.submissions) submitted[s.task] = s.end;
  DeviceTasks out;
  const auto add = [&](const TaskInfo& info, bool described) {
    DeviceTask t{.info = info, .described = described, .blocks = {}};
    if (const auto it = submitted.find(info.task); it != submitted.end()) t.submitted = it->second;
    if (const auto it = executed.find(info.task); it != executed.end()) {
      if (!described) add_functions(p, it->second, t.info);
      t.blocks = blocks_of(p, t, it->second);
    }
    if (!described) t.info.blocks = std::ssize(t.blocks);
    out.list.push_back(std::move(t));
  };
  if (p.tasks.empty()) {
    for (TaskNumber n : numbers_in_order(p, executed, out.ordered)) add({.task = n}, false);
    return out;
  }
  std::unordered_set<TaskNumber> described;
  for (const TaskInfo& info : p.tasks) {
    described.insert(info.task);
    if (p.kernels_known ? info.has_kernel() : executed.contains(info.task))
      add(info, p.kernels_known);
  }
  bool ignored = true;
  for (TaskNumber n : numbers_in_order(p, executed, ignored)) {
    if (described.contains(n)) continue;
    ++out.undescribed;
    add({.task = n}, false);
  }
  if (out.undescribed > 0 && out.undescribed == executed.size())
    user_error("device-profile",
               fmt::format("none of the {} tasks that ran is in deps.json", executed.size()),
               fmt::format("in {}", p.file), "deps.json has every task of the run",
               "give the files of one run, in a directory of their own");
  if (out.undescribed > 0) out.ordered = false;
  return out;
}

}  // namespace tilewright::device
