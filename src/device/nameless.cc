#include "tilewright/device/nameless.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/text.h"

namespace tilewright::device {
namespace {

std::string without_side(const std::string& name) {
  for (const char* side : {"_aic", "_aiv"})
    if (name.ends_with(side)) return name.substr(0, name.size() - 4);
  return name;
}

std::string function_name(const Profile& p, int function) {
  const auto it = p.names.find(function);
  return it != p.names.end() ? it->second : fmt::format("function {}", function);
}

// Tasks of the same functions are of one kernel.
class Kernels {
 public:
  explicit Kernels(const Profile& p) : profile_(p) {}

  std::size_t of(const DeviceTask& t, std::vector<ir::Kernel>& kernels) {
    const ir::CoreKind core = core_kind(t);
    const auto [it, added] = index_.try_emplace({t.info.functions, core}, kernels.size());
    if (added) {
      ir::Kernel k;
      k.name = kernel_name(profile_, t);
      k.core = core;
      kernels.push_back(std::move(k));
    }
    return it->second;
  }

 private:
  const Profile& profile_;
  std::map<std::pair<std::array<int, 3>, ir::CoreKind>, std::size_t> index_;
};

void add_task(ir::TaskGraph& graph, ir::KernelId kernel, uint32_t submission, uint32_t block) {
  ir::Task task;
  task.kernel = kernel;
  task.submission = submission;
  task.block = block;
  graph.edges.begin_task();
  graph.tasks.push_back(task);
}

}  // namespace

ir::CoreKind core_kind(const DeviceTask& t) {
  if (!t.blocks.empty()) return t.blocks.front().kind;
  const bool cube = t.info.functions[0] >= 0, vector = t.info.functions[1] >= 0;
  return cube ? (vector ? ir::CoreKind::Mixed : ir::CoreKind::Cube) : ir::CoreKind::Vector;
}

std::string kernel_name(const Profile& p, const DeviceTask& t) {
  std::vector<std::string> names;
  const bool mixed = core_kind(t) == ir::CoreKind::Mixed;
  for (int f : t.info.functions) {
    if (f < 0) continue;
    const std::string name = function_name(p, f);
    names.push_back(mixed ? without_side(name) : name);
    if (std::ranges::find(names, names.back()) != names.end() - 1) names.pop_back();
  }
  if (names.empty()) return fmt::format("{} tasks", ir::core_kind_name(core_kind(t)));
  return join(names, " + ");
}

NamelessRun nameless_run(const Profile& p, const DeviceTasks& tasks) {
  NamelessRun run;
  run.plan.program.name = p.program;
  run.record = record_of(p, tasks);
  const auto producers = producers_of(p, tasks);
  const std::vector<std::size_t> first = first_blocks(tasks);
  Kernels kernels(p);
  for (std::size_t i = 0; i < tasks.list.size(); ++i) {
    const DeviceTask& t = tasks.list[i];
    const std::size_t kernel = kernels.of(t, run.plan.kernels);
    for (std::size_t b = 0; b < t.blocks.size(); ++b) {
      add_task(run.graph, ir::KernelId(kernel), static_cast<uint32_t>(i), static_cast<uint32_t>(b));
      run.record.tasks[first[i] + b].profile = static_cast<uint32_t>(kernel);
      if (!producers) continue;
      for (std::size_t from : (*producers)[i])
        for (std::size_t task = first[from]; task < first[from + 1]; ++task)
          run.graph.edges.add({.from = ir::TaskId(task), .buffer = ir::BufferId()});
    }
  }
  run.record.profiles.resize(run.plan.kernels.size());
  for (std::size_t k = 0; k < run.record.profiles.size(); ++k)
    run.record.profiles[k].kernel = ir::KernelId(k);
  find_waits(run.record, tasks, producers);
  return run;
}

}  // namespace tilewright::device
