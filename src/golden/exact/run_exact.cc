#include "tilewright/golden/exact/operand_checks.h"
#include "tilewright/golden/exact/task_run.h"
#include "tilewright/golden/task_data.h"
#include "tilewright/ir/plan.h"

namespace tilewright::golden {
namespace exact {
namespace {

void run_tasks(const ExactRun& run, TaskData& data, ExactResult& result) {
  for (const ir::Task& task : run.graph.tasks) {
    run.findings.in_kernel(task.kernel);
    data.bind(task, run.memory);
    TaskRun one(run, task.kernel, data.args(task), data.scalars(task));
    one.run();
    one.count(result);
    run.memory.clear();
    data.release(task);
  }
}

}  // namespace
}  // namespace exact

ExactResult run_exact(const ir::Plan& plan, const ir::TaskGraph& graph,
                      const ir::Bindings& bindings, const ExactOptions& options) {
  ExactResult result;
  Memory memory(plan.program);
  TaskData data(plan, graph, bindings);
  exact::Schedule schedule(options.seed);
  exact::Findings findings(plan, result.findings);
  try {
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      findings.in_kernel(ir::KernelId(k));
      exact::check_storage(plan.program, options.sizes, findings);
    }
    exact::run_tasks({plan, graph, options, memory, schedule, findings}, data, result);
  } catch (const exact::Stop&) {
    // What stopped the run is the last finding.
  } catch (const UserError& e) {
    findings.add(Finding::Kind::Refused, -1, -1, [&] { return std::string(e.what()); });
  }
  return result;
}

}  // namespace tilewright::golden
