#include "tilewright/golden/task_data.h"

#include <bit>

#include "tilewright/base/check.h"
#include "tilewright/golden/bind.h"
#include "tilewright/ir/plan.h"

namespace tilewright::golden {

TaskData::TaskData(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings)
    : plan_(plan),
      graph_(graph),
      bindings_(bindings),
      params_(plan.program),
      arrays_(graph.buffers.size()),
      uses_left_(graph.buffers.size(), 0) {
  bind_params(plan.program, bindings, params_);
  for (const ir::Task& task : graph.tasks) {
    const ir::TaskArgs refs = args(task);
    for (std::size_t a = 0; a < refs.size(); ++a)
      if (refs[a].buffer.valid()) ++uses_left_[refs[a].buffer.index()];
  }
}

ir::TaskArgs TaskData::args(const ir::Task& task) const {
  return graph_.args_of(task, plan_.kernel(task.kernel).args.size());
}

GmView TaskData::view(const ir::TensorRef& ref) {
  std::shared_ptr<HostArray>& array = arrays_[ref.buffer.index()];
  const ir::Buffer& buffer = graph_.buffers[ref.buffer.index()];
  if (!array && buffer.param >= 0)
    array = borrow(*bindings_.arrays.at(static_cast<std::size_t>(buffer.param))).array;
  else if (!array) {
    array = make_poisoned(buffer.dtype, buffer.shape).array;
    if (buffer.fill) fill(*array, *buffer.fill);
  }
  int64_t last = ref.base;
  for (int d = 0; d < ref.rank; ++d) last += (ref.shape[d] - 1) * ref.stride[d];
  check(ref.base >= 0 && last < array->size(), "an argument's view leaves its buffer");
  const Shape shape(ref.shape.begin(), ref.shape.begin() + ref.rank);
  return {array, ref, shape, shape};
}

void TaskData::bind(const ir::Task& task, Memory& memory) {
  const ir::Kernel& kernel = plan_.kernel(task.kernel);
  const auto refs = args(task);
  for (std::size_t a = 0; a < refs.size(); ++a) {
    if (!refs[a].buffer.valid()) continue;  // not made on this path, and so not touched
    GmView bound = view(refs[a]);
    const ir::Var& var = plan_.program[kernel.args[a].var];
    check(bound.shape == var.shape && bound.array->dtype() == var.dtype,
          "an argument is bound to a view of another type");
    memory.bind(kernel.args[a].var, std::move(bound));
  }
}

// Integers are passed as they are, floats as the bits of a double.
Scalars TaskData::scalars(const ir::Task& task) const {
  Scalars out = params_;
  const ir::Kernel& kernel = plan_.kernel(task.kernel);
  for (std::size_t s = 0; s < kernel.scalars.size(); ++s) {
    const ir::VarId v = kernel.scalars[s];
    const int64_t value = graph_.scalars[task.scalars_begin + s];
    const bool is_param = plan_.program.param_of(v) != nullptr;
    if (!is_float(plan_.program[v].dtype))
      out.set(v, value);
    else if (!is_param)  // parameters already hold the caller's value
      out.set(v, ScalarValue{true, std::bit_cast<double>(value), 0});
  }
  return out;
}

void TaskData::release(const ir::Task& task) {
  const ir::TaskArgs refs = args(task);
  for (std::size_t a = 0; a < refs.size(); ++a) {
    const ir::BufferId b = refs[a].buffer;
    if (b.valid() && --uses_left_[b.index()] == 0) arrays_[b.index()].reset();
  }
}

}  // namespace tilewright::golden
