#include "tilewright/device/runtime_tasks.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright::device {
namespace {

constexpr TaskNumber kNone = UINT64_MAX;

bool is_stated(const ir::TaskGraph& graph, uint32_t s, uint32_t pred) {
  const auto stated = graph.stated_preds(s);
  return std::ranges::find(stated, pred) != stated.end();
}

}  // namespace

// What one trip of a loop makes is allocated by one call, as the simulated orchestrator does.
RuntimeTasks::RuntimeTasks(const Executed& run) : run_(run) {
  std::unordered_map<uint32_t, TaskNumber> called;  // by trip
  maker_.assign(run.graph.buffers.size(), kNone);
  for (uint32_t s = 0; s < run.order.submissions(); ++s) {
    for (uint32_t t = run.order.first_task[s]; t < run.order.first_task[s + 1]; ++t)
      for (const ir::Access& a : run.graph.accesses_of(run.graph.tasks[t])) {
        const ir::Buffer& buffer = run.graph.buffers[a.buffer.index()];
        if (buffer.param >= 0 || maker_[a.buffer.index()] != kNone) continue;
        const auto [it, added] = called.try_emplace(buffer.trip, list_.size());
        if (added) list_.push_back({list_.size(), s, true});
        maker_[a.buffer.index()] = it->second;
      }
    of_submission_.push_back(list_.size());
    list_.push_back({list_.size(), s, false});
  }
}

std::vector<EdgeInfo> RuntimeTasks::edges() const {
  std::vector<EdgeInfo> out;
  std::vector<TaskNumber> makers;
  for (uint32_t s = 0; s < run_.order.submissions(); ++s) {
    makers.clear();
    for (uint32_t t = run_.order.first_task[s]; t < run_.order.first_task[s + 1]; ++t)
      for (const ir::Access& a : run_.graph.accesses_of(run_.graph.tasks[t]))
        if (maker_[a.buffer.index()] != kNone) makers.push_back(maker_[a.buffer.index()]);
    std::ranges::sort(makers);
    makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
    for (TaskNumber from : makers) out.push_back({from, of_submission_[s], EdgeSource::Creator});
    for (uint32_t p : run_.order.preds_of(s))
      out.push_back({of_submission_[p], of_submission_[s],
                     is_stated(run_.graph, s, p) ? EdgeSource::Explicit : EdgeSource::TensorMap});
  }
  return out;
}

std::array<int, 3> functions_of(const ir::Plan& plan, ir::KernelId kernel) {
  int next = 0;
  for (std::size_t k = 0; k < kernel.index(); ++k)
    next += plan.kernels[k].core == ir::CoreKind::Mixed ? 2 : 1;
  switch (plan.kernel(kernel).core) {
    case ir::CoreKind::Cube: return {next, -1, -1};
    case ir::CoreKind::Vector: return {-1, next, -1};
    case ir::CoreKind::Mixed: return {next, next + 1, next + 1};
  }
  return {-1, -1, -1};
}

std::vector<std::string> function_names(const ir::Plan& plan) {
  std::vector<std::string> out;
  for (const ir::Kernel& k : plan.kernels) {
    const bool mixed = k.core == ir::CoreKind::Mixed;
    out.push_back(mixed ? k.name + "_aic" : k.name);
    if (mixed) out.push_back(k.name + "_aiv");
  }
  return out;
}

}  // namespace tilewright::device
