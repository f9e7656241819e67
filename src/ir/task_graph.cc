#include "tilewright/ir/task_graph.h"

#include "tilewright/ir/plan.h"

#include <fmt/format.h>

#include <array>

namespace tilewright::ir {

std::string_view core_kind_name(CoreKind k) {
  constexpr std::array<std::string_view, 3> kNames{"vector", "cube", "mixed"};
  return kNames[static_cast<std::size_t>(k)];
}

std::string task_name(const Plan& plan, const TaskGraph& graph, TaskId id) {
  const Task& task = graph.tasks[id.index()];
  const Kernel& kernel = plan.kernel(task.kernel);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i)
    parts.push_back(fmt::format("{}={}", plan.program[kernel.scalars[i]].written_name(),
                                graph.scalars[task.scalars_begin + i]));
  return parts.empty() ? kernel.name : fmt::format("{}[{}]", kernel.name, fmt::join(parts, ", "));
}

}  // namespace tilewright::ir
