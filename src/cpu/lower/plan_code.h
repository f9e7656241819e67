// The kernels of a plan as steps, and how its weights are packed for them.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/cpu/lower/kernel_code.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::cpu {

struct PlanCode {
  std::vector<std::optional<PackedArg>> packing;  // by parameter
  std::vector<int64_t> panel_stride;              // by parameter: in elements, 0 if not packed
  std::vector<std::vector<PackedArg>> packed;     // by kernel and argument
  std::vector<KernelCode> kernels;
};

PlanCode lower_plan(const ir::Plan& plan, const ir::TaskGraph& graph, simd::Panels panels);

// Whether the code is right for other tasks, too: packed weights are found where they were.
bool fits(const PlanCode& code, const ir::Plan& plan, const ir::TaskGraph& graph);

}  // namespace tilewright::cpu
