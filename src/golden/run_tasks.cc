#include "tilewright/golden/golden.h"
#include "tilewright/golden/interpreter.h"
#include "tilewright/golden/task_data.h"
#include "tilewright/golden/task_order.h"
#include "tilewright/ir/plan.h"

namespace tilewright::golden {
namespace {

void run_in(const std::vector<ir::TaskId>& order, const ir::Plan& plan, const ir::TaskGraph& graph,
            const ir::Bindings& bindings, Exp exp) {
  Memory memory(plan.program);
  TaskData data(plan, graph, bindings);
  for (const ir::TaskId id : order) {
    const ir::Task& task = graph.tasks[id.index()];
    const ir::Kernel& kernel = plan.kernel(task.kernel);
    data.bind(task, memory);
    Scalars scalars = data.scalars(task);
    Interpreter(plan.program, memory, scalars, exp).run_kernel(kernel.body, kernel.name);
    memory.clear();
    data.release(task);
  }
}

}  // namespace

void run_tasks(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings,
               std::optional<uint64_t> order_seed, Exp exp) {
  run_in(task_order(graph, order_seed), plan, graph, bindings, exp);
}

void run_tasks(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings,
               const ir::RuntimeGraph& order, uint64_t seed) {
  run_in(task_order(order, seed), plan, graph, bindings, rounded_exp);
}

}  // namespace tilewright::golden
