#include "tilewright/cpu/lower/plan_code.h"

#include "tilewright/cpu/bind/packing.h"

namespace tilewright::cpu {
namespace {

// An argument is packed when the parameter it is bound to is; choose_packing made sure that this is
// the same for every task of a kernel.
std::vector<std::vector<PackedArg>> packed_args(
    const ir::Plan& plan, const ir::TaskGraph& graph,
    const std::vector<std::optional<PackedArg>>& packing) {
  std::vector<std::vector<PackedArg>> packed;
  for (const ir::Kernel& k : plan.kernels) packed.emplace_back(k.args.size());
  for (const ir::Task& task : graph.tasks)
    for (std::size_t a = 0; a < packed[task.kernel.index()].size(); ++a) {
      const ir::BufferId b = graph.arg(task, a).buffer;
      const int param = b.valid() ? graph.buffers[b.index()].param : -1;
      if (param >= 0 && packing[static_cast<std::size_t>(param)])
        packed[task.kernel.index()][a] = *packing[static_cast<std::size_t>(param)];
    }
  return packed;
}

}  // namespace

PlanCode lower_plan(const ir::Plan& plan, const ir::TaskGraph& graph, simd::Panels panels) {
  const ir::Program& program = plan.program;
  std::vector<ir::Uses> uses;
  for (const ir::Kernel& k : plan.kernels) uses.emplace_back(program, k, k.lowered);
  PlanCode code;
  code.packing = choose_packing(plan, graph, uses, panels);
  for (std::size_t p = 0; p < code.packing.size(); ++p) {
    const Shape& shape = program[program.params[p].var].shape;
    code.panel_stride.push_back(code.packing[p] ? panel_stride(shape, *code.packing[p]) : 0);
  }
  code.packed = packed_args(plan, graph, code.packing);
  for (std::size_t k = 0; k < plan.kernels.size(); ++k)
    code.kernels.push_back(lower_kernel(program, plan.kernels[k], uses[k], code.packed[k]));
  return code;
}

bool fits(const PlanCode& code, const ir::Plan& plan, const ir::TaskGraph& graph) {
  const auto used = packed_args(plan, graph, code.packing);
  for (const ir::Task& task : graph.tasks) {
    const std::size_t k = task.kernel.index();
    for (std::size_t a = 0; a < used[k].size(); ++a)
      if (used[k][a].packed != code.packed[k][a].packed) return false;
  }
  return true;
}

}  // namespace tilewright::cpu
