#include <bit>

#include "tilewright/base/check.h"
#include "tilewright/golden/bind.h"
#include "tilewright/golden/golden.h"
#include "tilewright/golden/interpreter.h"
#include "tilewright/golden/task_order.h"

namespace tilewright::golden {
namespace {

// The GM buffers of a graph: parameters are the caller's arrays; the rest exist from their first
// use to their last, so that a whole layer does not hold all of its temporaries at once.
class Buffers {
 public:
  Buffers(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings)
      : graph_(graph),
        bindings_(bindings),
        arrays_(graph.buffers.size()),
        uses_left_(graph.buffers.size(), 0) {
    for (const ir::Task& task : graph.tasks)
      for (const ir::TensorRef& ref : args(plan, task))
        if (ref.buffer.valid()) ++uses_left_[ref.buffer.index()];
  }

  std::span<const ir::TensorRef> args(const ir::Plan& plan, const ir::Task& task) const {
    return {graph_.args.data() + task.args_begin, plan.kernel(task.kernel).args.size()};
  }

  GmView view(const ir::TensorRef& ref) {
    std::shared_ptr<HostArray>& array = arrays_[ref.buffer.index()];
    const ir::Buffer& buffer = graph_.buffers[ref.buffer.index()];
    if (!array && buffer.param >= 0)
      array = borrow(*bindings_.arrays.at(static_cast<std::size_t>(buffer.param))).array;
    else if (!array)
      array = make_poisoned(buffer.dtype, buffer.shape).array;
    int64_t last = ref.base;
    for (int d = 0; d < ref.rank; ++d) last += (ref.shape[d] - 1) * ref.stride[d];
    check(ref.base >= 0 && last < array->size(), "an argument's view leaves its buffer");
    const Shape shape(ref.shape.begin(), ref.shape.begin() + ref.rank);
    return {array, ref, shape, shape};
  }

  void release(const ir::TensorRef& ref) {
    if (ref.buffer.valid() && --uses_left_[ref.buffer.index()] == 0)
      arrays_[ref.buffer.index()].reset();
  }

 private:
  const ir::TaskGraph& graph_;
  const ir::Bindings& bindings_;
  std::vector<std::shared_ptr<HostArray>> arrays_;
  std::vector<uint32_t> uses_left_;  // arguments of tasks that have not run yet
};

// Integers are passed as they are, floats as the bits of a double.
void pass_scalars(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Task& task,
                  Scalars& scalars) {
  const ir::Kernel& kernel = plan.kernel(task.kernel);
  for (std::size_t s = 0; s < kernel.scalars.size(); ++s) {
    const ir::VarId v = kernel.scalars[s];
    const int64_t value = graph.scalars[task.scalars_begin + s];
    const bool is_param = plan.program.param_of(v) != nullptr;
    if (!is_float(plan.program[v].dtype))
      scalars.set(v, value);
    else if (!is_param)  // parameters already hold the caller's value
      scalars.set(v, ScalarValue{true, std::bit_cast<double>(value), 0});
  }
}

void run_in(const std::vector<ir::TaskId>& order, const ir::Plan& plan, const ir::TaskGraph& graph,
            const ir::Bindings& bindings) {
  Memory memory(plan.program);
  Scalars params(plan.program);
  bind_params(plan.program, bindings, params);
  Buffers buffers(plan, graph, bindings);
  for (const ir::TaskId id : order) {
    const ir::Task& task = graph.tasks[id.index()];
    const ir::Kernel& kernel = plan.kernel(task.kernel);
    const auto args = buffers.args(plan, task);
    for (std::size_t a = 0; a < args.size(); ++a) {
      if (!args[a].buffer.valid()) continue;  // not made on this path, and so not touched
      GmView view = buffers.view(args[a]);
      const ir::Var& var = plan.program[kernel.args[a].var];
      check(view.shape == var.shape && view.array->dtype() == var.dtype,
            "an argument is bound to a view of another type");
      memory.bind(kernel.args[a].var, std::move(view));
    }
    Scalars scalars = params;  // what one task sets, no other sees
    pass_scalars(plan, graph, task, scalars);
    Interpreter(plan.program, memory, scalars).run_kernel(kernel.body, kernel.name);
    memory.clear();
    for (const ir::TensorRef& ref : args) buffers.release(ref);
  }
}

}  // namespace

void run_tasks(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings,
               std::optional<uint64_t> order_seed) {
  run_in(task_order(graph, order_seed), plan, graph, bindings);
}

void run_tasks(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings,
               const ir::RuntimeGraph& order, uint64_t seed) {
  run_in(task_order(order, seed), plan, graph, bindings);
}

}  // namespace tilewright::golden
