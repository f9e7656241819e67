#include "tilewright/cpu/run/task_list.h"

#include <algorithm>
#include <bit>

namespace tilewright::cpu {
namespace {

constexpr int64_t kAlignment = 64;

void list_buffers(const ir::TaskGraph& graph, TaskList& out) {
  for (const ir::Buffer& b : graph.buffers) {
    TaskList::Buffer buffer;
    buffer.param = b.param;
    if (b.param < 0) {
      buffer.offset = out.bytes;
      buffer.bytes = b.bytes();
      if (b.fill) {
        HostArray one(b.dtype, {1});
        one.set(0, *b.fill);
        buffer.fill.assign(one.data(), one.data() + bytes_of(b.dtype, 1));
      }
      out.bytes += (b.bytes() + kAlignment - 1) / kAlignment * kAlignment;
    }
    out.buffers.push_back(buffer);
  }
}

void list_args(const ir::Kernel& kernel, const ir::TaskGraph& graph, const ir::Task& task,
               const std::vector<int64_t>& panel_stride, TaskList& out) {
  for (std::size_t a = 0; a < kernel.args.size(); ++a) {
    const ir::TensorRef& ref = graph.arg(task, a);
    if (!ref.buffer.valid()) continue;  // not made on this path, and so not touched
    const ir::Buffer& buffer = graph.buffers[ref.buffer.index()];
    TaskList::Arg arg;
    arg.var = kernel.args[a].var.index();
    arg.buffer = ref.buffer.index();
    arg.offset = bytes_of(buffer.dtype, ref.base);
    std::copy_n(ref.stride.begin(), ref.rank, arg.stride.begin());
    std::copy_n(ref.shape.begin(), ref.rank, arg.shape.begin());
    if (is_encoded(buffer.dtype)) {  // views of encoded weights count blocks
      const int64_t block = block_elements(buffer.dtype);
      const auto last = static_cast<std::size_t>(ref.rank - 1);
      for (std::size_t d = 0; d < last; ++d) arg.stride[d] /= block;
      arg.shape[last] /= block;
    }
    if (buffer.param >= 0)
      if (const int64_t s = panel_stride[static_cast<std::size_t>(buffer.param)]; s != 0)
        arg.stride = {s};
    out.args.push_back(arg);
  }
}

// After the arguments of all tasks are listed, in the order of submission.
void number_generations(const ir::Plan& plan, const ir::TaskGraph& graph, TaskList& out) {
  std::vector<uint32_t> now(graph.buffers.size(), 1);
  std::vector<bool> writes(graph.buffers.size(), false);
  for (std::size_t t = 0; t < out.tasks.size(); ++t) {
    const TaskList::Task& task = out.tasks[t];
    const ir::Kernel& kernel = plan.kernel(graph.tasks[t].kernel);
    std::vector<std::size_t> written;
    for (std::size_t a = 0; a < kernel.args.size(); ++a) {
      const ir::BufferId b = graph.arg(graph.tasks[t], a).buffer;
      if (b.valid() && kernel.args[a].direction != ir::Direction::In) written.push_back(b.index());
    }
    for (const std::size_t b : written) writes[b] = true;
    for (uint32_t a = task.args_begin; a < task.args_end; ++a)
      if (!writes[out.args[a].buffer]) out.args[a].generation = now[out.args[a].buffer];
    for (const std::size_t b : written) {
      writes[b] = false;
      ++now[b];
    }
  }
}

// Integers are passed as they are, floats as the bits of a double.
void list_scalars(const ir::Plan& plan, const ir::Kernel& kernel, const ir::TaskGraph& graph,
                  const ir::Task& task, TaskList& out) {
  for (std::size_t s = 0; s < kernel.scalars.size(); ++s) {
    const ir::VarId v = kernel.scalars[s];
    const int64_t value = graph.scalars[task.scalars_begin + s];
    const bool is_real = is_float(plan.program[v].dtype);
    if (is_real && plan.program.param_of(v)) continue;  // every run brings its own
    out.scalars.push_back({v.index(), value, std::bit_cast<double>(value), is_real});
  }
}

void list_edges(const ir::TaskGraph& graph, TaskList& out) {
  std::vector<std::vector<uint32_t>> next(graph.tasks.size());
  for (uint32_t t = 0; t < graph.tasks.size(); ++t) {
    std::vector<uint32_t> before;
    for (const ir::Edge& e : graph.preds(ir::TaskId(t)))
      before.push_back(static_cast<uint32_t>(e.from.index()));
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (const uint32_t p : before) next[p].push_back(t);
    out.tasks[t].waits_for = static_cast<int32_t>(before.size());
  }
  for (std::size_t t = 0; t < next.size(); ++t) {
    out.tasks[t].next_begin = static_cast<uint32_t>(out.next.size());
    out.next.insert(out.next.end(), next[t].begin(), next[t].end());
    out.tasks[t].next_end = static_cast<uint32_t>(out.next.size());
  }
}

}  // namespace

TaskList list_tasks(const ir::Plan& plan, const ir::TaskGraph& graph,
                    const std::vector<KernelCode>& kernels,
                    const std::vector<int64_t>& panel_stride) {
  TaskList out;
  list_buffers(graph, out);
  for (const ir::Task& task : graph.tasks) {
    const ir::Kernel& kernel = plan.kernel(task.kernel);
    TaskList::Task t;
    t.code = &kernels[task.kernel.index()];
    t.args_begin = static_cast<uint32_t>(out.args.size());
    list_args(kernel, graph, task, panel_stride, out);
    t.args_end = static_cast<uint32_t>(out.args.size());
    t.scalars_begin = static_cast<uint32_t>(out.scalars.size());
    list_scalars(plan, kernel, graph, task, out);
    t.scalars_end = static_cast<uint32_t>(out.scalars.size());
    out.tasks.push_back(t);
  }
  number_generations(plan, graph, out);
  list_edges(graph, out);
  return out;
}

}  // namespace tilewright::cpu
