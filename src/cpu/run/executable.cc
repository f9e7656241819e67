#include "tilewright/cpu/run/executable.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "tilewright/base/check.h"
#include "tilewright/cpu/bind/bind.h"
#include "tilewright/cpu/lower/plan_code.h"
#include "tilewright/cpu/run/ready_queue.h"
#include "tilewright/cpu/run/task_list.h"
#include "tilewright/cpu/run/thread_frame.h"

namespace tilewright::cpu {

using Clock = std::chrono::steady_clock;

struct Executable::Parts {
  const ir::Plan& plan;
  Options options;
  PlanCode code;
  TaskList list;
  HugePages between;  // buffers that are no parameters
  std::vector<std::unique_ptr<ThreadFrame>> frames;
  ReadyQueue queue;
  std::unique_ptr<std::atomic<int32_t>[]> waits_for;
  std::vector<std::byte*> addresses;  // by buffer, of the running step
  std::vector<TaskTime> times;
  std::mutex error_mutex;
  std::exception_ptr error;
  Clock::time_point began;

  Parts(const ir::Plan& p, const Options& o) : plan(p), options(o) {}

  int64_t memory_bytes() const;
  int64_t memory_left() const {
    return options.memory_limit == 0 ? available_memory() : options.memory_limit - memory_bytes();
  }
  void lower(const ir::TaskGraph& graph);
  void take_tasks(const ir::TaskGraph& graph);
  void set_addresses(const PackedWeights& weights, const ir::Bindings& bindings);
  void fill_buffers();
  void set_float_params(const ir::Bindings& bindings);
  void work(int thread);
  void run_task(const TaskList::Task& task, Frame& f) const;
};

void Executable::Parts::lower(const ir::TaskGraph& graph) {
  code = lower_plan(plan, graph, options.instructions.kernels().panels);
  frames.clear();
  require_memory(plan.program, "the tiles of all threads",
                 ThreadFrame::bytes_for(code.kernels) * options.threads, memory_left());
  for (int t = 0; t < options.threads; ++t)
    frames.push_back(std::make_unique<ThreadFrame>(code.kernels, &options.instructions.kernels(),
                                                   options.threads));
}

void Executable::Parts::take_tasks(const ir::TaskGraph& graph) {
  list = list_tasks(plan, graph, code.kernels, code.panel_stride);
  if (between.bytes() < list.bytes) {
    require_memory(plan.program, "the tensors between tasks", list.bytes, memory_left());
    between = HugePages(list.bytes);
  }
  queue.resize(list.tasks.size());
  waits_for = std::make_unique<std::atomic<int32_t>[]>(list.tasks.size());
  times.resize(list.tasks.size());
  addresses.resize(list.buffers.size());
}

void Executable::Parts::set_addresses(const PackedWeights& weights, const ir::Bindings& bindings) {
  for (std::size_t p = 0; p < plan.program.params.size(); ++p) {
    const ir::Var& var = plan.program[plan.program.params[p].var];
    if (var.scalar || (code.packing[p] && p < weights.packed.size() && weights.packed[p].data()))
      continue;
    check(!code.packing[p], "a weight of this plan was not bound");
    require_array(plan.program, var, p < bindings.arrays.size() ? bindings.arrays[p] : nullptr);
  }
  for (std::size_t b = 0; b < addresses.size(); ++b) {
    const TaskList::Buffer& buffer = list.buffers[b];
    const auto p = static_cast<std::size_t>(buffer.param);
    addresses[b] = buffer.param < 0  ? between.data() + buffer.offset
                   : code.packing[p] ? weights.packed[p].data()
                                     : bindings.arrays[p]->data();
  }
}

// Tensors that the orchestrator fills when it makes them, and outputs that the caller fills.
void Executable::Parts::fill_buffers() {
  for (std::size_t b = 0; b < addresses.size(); ++b) {
    const TaskList::Buffer& buffer = list.buffers[b];
    if (buffer.param >= 0) {
      const ir::Param& param = plan.program.params[static_cast<std::size_t>(buffer.param)];
      const ir::Var& v = plan.program[param.var];
      if (param.direction == ir::Direction::Out && param.filled)
        std::fill_n(addresses[b], bytes_of(v.dtype, element_count(v.shape)), std::byte{0});
    }
    if (buffer.fill.empty()) continue;
    const auto size = static_cast<int64_t>(buffer.fill.size());
    for (int64_t at = 0; at + size <= buffer.bytes; at += size)
      std::copy(buffer.fill.begin(), buffer.fill.end(), addresses[b] + at);
  }
}

void Executable::Parts::set_float_params(const ir::Bindings& bindings) {
  for (std::size_t p = 0; p < plan.program.params.size(); ++p) {
    const ir::VarId v = plan.program.params[p].var;
    const ir::Var& var = plan.program[v];
    if (!var.scalar || !is_float(var.dtype)) continue;
    for (const auto& t : frames) t->frame().floats[v.index()] = bindings.scalars[p];
  }
}

void Executable::Parts::run_task(const TaskList::Task& task, Frame& f) const {
  for (const KernelCode::Tile& t : task.code->tiles)
    f.views[t.var] = {f.tiles + t.offset, t.stride, t.shape};
  for (uint32_t a = task.args_begin; a < task.args_end; ++a) {
    const TaskList::Arg& arg = list.args[a];
    f.views[arg.var] = {addresses[arg.buffer] + arg.offset, arg.stride, arg.shape};
    f.generations[arg.var] = arg.generation;
  }
  for (uint32_t s = task.scalars_begin; s < task.scalars_end; ++s) {
    const TaskList::Scalar& scalar = list.scalars[s];
    if (scalar.is_float)
      f.floats[scalar.var] = scalar.real;
    else
      f.integers[scalar.var] = scalar.integer;
  }
  task.code->body->run(f);
  for (uint32_t a = task.args_begin; a < task.args_end; ++a) f.generations[list.args[a].var] = 0;
}

void Executable::Parts::work(int thread) {
  Frame& f = frames[static_cast<std::size_t>(thread)]->frame();
  f.packed = {};
  const auto now = [&] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
  };
  while (const auto next = queue.take()) {
    const TaskList::Task& task = list.tasks[*next];
    TaskTime& time = times[*next];
    time.start_ns = now();
    time.thread = thread;
    try {
      run_task(task, f);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      error = std::current_exception();
      return queue.stop();
    }
    time.end_ns = now();
    for (uint32_t n = task.next_begin; n < task.next_end; ++n)
      if (waits_for[list.next[n]].fetch_sub(1, std::memory_order_acq_rel) == 1)
        queue.push(list.next[n]);
  }
}

Executable::Executable(const ir::Plan& plan, const ir::TaskGraph& graph, const Options& options)
    : parts_(std::make_unique<Parts>(plan, options)) {
  parts_->lower(graph);
  parts_->take_tasks(graph);
}

Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;

void Executable::set_tasks(const ir::TaskGraph& graph) {
  if (!fits(parts_->code, parts_->plan, graph)) {
    const auto before = parts_->code.panel_stride;
    parts_->lower(graph);
    check(parts_->code.panel_stride == before,
          "these tasks use a weight in another way than those it was packed for");
  }
  parts_->take_tasks(graph);
}

bool Executable::packs(std::size_t param) const { return parts_->code.packing[param].has_value(); }
const std::vector<TaskTime>& Executable::times() const { return parts_->times; }

int64_t Executable::Parts::memory_bytes() const {
  int64_t sum = between.bytes();
  for (const auto& t : frames) sum += t->bytes();
  return sum;
}

int64_t Executable::memory_bytes() const { return parts_->memory_bytes(); }

PackedWeights Executable::bind_weights(const ir::Bindings& bindings, Source source, Pool* pool,
                                       Missing missing) const {
  return pack_weights(parts_->plan.program, parts_->code.packing, bindings, source, pool,
                      parts_->memory_left(), missing);
}

void Executable::run(Pool& pool, const PackedWeights& weights, const ir::Bindings& bindings) {
  Parts& parts = *parts_;
  check(pool.threads() <= static_cast<int>(parts.frames.size()), "more threads than frames");
  parts.set_addresses(weights, bindings);
  parts.fill_buffers();
  parts.set_float_params(bindings);
  parts.queue.reset(parts.options.order_seed);
  for (std::size_t t = 0; t < parts.list.tasks.size(); ++t)
    parts.waits_for[t].store(parts.list.tasks[t].waits_for, std::memory_order_relaxed);
  for (std::size_t t = 0; t < parts.list.tasks.size(); ++t)
    if (parts.list.tasks[t].waits_for == 0) parts.queue.push(static_cast<uint32_t>(t));
  parts.error = nullptr;
  parts.began = Clock::now();
  pool.run([&](int thread) { parts.work(thread); });
  if (parts.error) std::rethrow_exception(parts.error);
}

}  // namespace tilewright::cpu
