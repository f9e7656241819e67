#include "tilewright/cpu/executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "tilewright/base/check.h"
#include "tilewright/cpu/bind.h"
#include "tilewright/cpu/packing.h"
#include "tilewright/cpu/panels.h"
#include "tilewright/cpu/ready_queue.h"
#include "tilewright/cpu/task_list.h"

namespace tilewright::cpu {
namespace {

using Clock = std::chrono::steady_clock;

int64_t whole_lines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// One thread's frame and the memory it points into.
struct ThreadFrame {
  std::vector<int64_t> integers;
  std::vector<double> floats;
  std::vector<View> views;
  std::vector<uint32_t> generations;
  Pages memory;
  Frame frame;

  ThreadFrame(const std::vector<KernelCode>& kernels, const simd::Kernels* simd, int threads) {
    int64_t tiles = 0;
    int64_t left = 0;
    int64_t scratch = 0;
    std::size_t variables = 0;
    for (const KernelCode& k : kernels) {
      tiles = std::max(tiles, k.tile_bytes);
      left = std::max(left, k.left_bytes);
      scratch = std::max(scratch, k.scratch_bytes);
      variables = std::max(variables, k.variables);
    }
    integers.resize(variables);
    floats.resize(variables);
    views.resize(variables);
    generations.resize(variables);
    tiles = whole_lines(tiles);
    left = whole_lines(left);
    memory = Pages(tiles + left + scratch + 64);
    frame = {simd,
             threads,
             integers.data(),
             floats.data(),
             views.data(),
             generations.data(),
             memory.data(),
             memory.data() + tiles,
             left,
             memory.data() + tiles + left};
  }
};

int64_t frame_bytes(const std::vector<KernelCode>& kernels) {
  int64_t bytes = 0;
  for (const KernelCode& k : kernels)
    bytes = std::max(bytes, k.tile_bytes + k.left_bytes + k.scratch_bytes);
  return bytes + 192;
}

// An argument is packed when the parameter it is bound to is; choose_packing made sure that this is
// the same for every task of a kernel.
std::vector<std::vector<PackedArg>> packed_args(
    const ir::Plan& plan, const ir::TaskGraph& graph,
    const std::vector<std::optional<PackedArg>>& packing) {
  std::vector<std::vector<PackedArg>> packed;
  for (const ir::Kernel& k : plan.kernels) packed.emplace_back(k.args.size());
  for (const ir::Task& task : graph.tasks)
    for (std::size_t a = 0; a < packed[task.kernel.index()].size(); ++a) {
      const ir::BufferId b = graph.args[task.args_begin + a].buffer;
      const int param = b.valid() ? graph.buffers[b.index()].param : -1;
      if (param >= 0 && packing[static_cast<std::size_t>(param)])
        packed[task.kernel.index()][a] = *packing[static_cast<std::size_t>(param)];
    }
  return packed;
}

}  // namespace

int64_t Weights::bytes() const {
  int64_t sum = 0;
  for (const Pages& p : packed) sum += p.bytes();
  return sum;
}

struct Executable::Parts {
  const ir::Plan& plan;
  Options options;
  std::vector<std::optional<PackedArg>> packing;  // by parameter
  std::vector<int64_t> panel_stride;              // by parameter
  SharedArgs shared;                              // what the kernels were lowered for
  std::vector<std::vector<PackedArg>> packed;     // by kernel and argument
  std::vector<KernelCode> kernels;
  TaskList list;
  Pages between;  // buffers that are no parameters
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
  bool fits(const ir::TaskGraph& graph) const;
  void make_frames();
  void take_tasks(const ir::TaskGraph& graph);
  void set_addresses(const Weights& weights, const ir::Bindings& bindings);
  void set_float_params(const ir::Bindings& bindings);
  void work(int thread);
  void run_task(const TaskList::Task& task, Frame& f) const;
};

void Executable::Parts::lower(const ir::TaskGraph& graph) {
  shared = shared_args(plan, graph);
  std::vector<Aliases> aliases;
  aliases.reserve(plan.kernels.size());
  for (std::size_t k = 0; k < plan.kernels.size(); ++k)
    aliases.emplace_back(plan.program, plan.kernels[k], shared[k]);
  packing = choose_packing(plan, graph, aliases, options.kernels->panels);
  panel_stride.clear();
  for (std::size_t p = 0; p < packing.size(); ++p) {
    const Shape& shape = plan.program[plan.program.params[p].var].shape;
    panel_stride.push_back(packing[p] ? panel_elements(shape, *packing[p]) : 0);
  }
  packed = packed_args(plan, graph, packing);
  kernels.clear();
  for (std::size_t k = 0; k < plan.kernels.size(); ++k)
    kernels.push_back(lower_kernel(plan.program, plan.kernels[k], aliases[k], packed[k]));
}

// Whether kernels lowered for other tasks are right for these: no two arguments have come to share
// memory, and weights are where they were.
bool Executable::Parts::fits(const ir::TaskGraph& graph) const {
  const SharedArgs now = shared_args(plan, graph);
  for (std::size_t k = 0; k < now.size(); ++k)
    for (std::size_t a = 0; a < now[k].size(); ++a)
      for (std::size_t b = 0; b < now[k].size(); ++b)
        if (now[k][a][b] && !shared[k][a][b]) return false;
  const auto used = packed_args(plan, graph, packing);
  for (const ir::Task& task : graph.tasks) {
    const std::size_t k = task.kernel.index();
    for (std::size_t a = 0; a < used[k].size(); ++a)
      if (used[k][a].packed != packed[k][a].packed) return false;
  }
  return true;
}

void Executable::Parts::make_frames() {
  frames.clear();
  require_memory(plan.program, "the tiles of all threads", frame_bytes(kernels) * options.threads,
                 memory_left());
  for (int t = 0; t < options.threads; ++t)
    frames.push_back(std::make_unique<ThreadFrame>(kernels, options.kernels, options.threads));
}

void Executable::Parts::take_tasks(const ir::TaskGraph& graph) {
  list = list_tasks(plan, graph, kernels, panel_stride);
  if (between.bytes() < list.bytes) {
    require_memory(plan.program, "the tensors between tasks", list.bytes, memory_left());
    between = Pages(list.bytes);
  }
  queue.resize(list.tasks.size());
  waits_for = std::make_unique<std::atomic<int32_t>[]>(list.tasks.size());
  times.resize(list.tasks.size());
  addresses.resize(list.buffers.size());
}

void Executable::Parts::set_addresses(const Weights& weights, const ir::Bindings& bindings) {
  for (std::size_t p = 0; p < plan.program.params.size(); ++p) {
    const ir::Var& var = plan.program[plan.program.params[p].var];
    if (var.scalar || (packing[p] && p < weights.packed.size() && weights.packed[p].data()))
      continue;
    check(!packing[p], "a weight of this plan was not bound");
    require_array(plan.program, var, p < bindings.arrays.size() ? bindings.arrays[p] : nullptr);
  }
  for (std::size_t b = 0; b < addresses.size(); ++b) {
    const TaskList::Buffer& buffer = list.buffers[b];
    const auto p = static_cast<std::size_t>(buffer.param);
    addresses[b] = buffer.param < 0 ? between.data() + buffer.offset
                   : packing[p]     ? weights.packed[p].data()
                                    : bindings.arrays[p]->data();
  }
}

void Executable::Parts::set_float_params(const ir::Bindings& bindings) {
  for (std::size_t p = 0; p < plan.program.params.size(); ++p) {
    const ir::VarId v = plan.program.params[p].var;
    const ir::Var& var = plan.program[v];
    if (!var.scalar || !is_float(var.dtype)) continue;
    for (const auto& t : frames) t->floats[v.index()] = bindings.scalars[p];
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
  Frame& f = frames[static_cast<std::size_t>(thread)]->frame;
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
  parts_->make_frames();
  parts_->take_tasks(graph);
}

Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;

void Executable::set_tasks(const ir::TaskGraph& graph) {
  if (!parts_->fits(graph)) {
    const auto before = parts_->panel_stride;
    parts_->lower(graph);
    check(parts_->panel_stride == before,
          "these tasks use a weight in another way than those it was packed for");
    parts_->make_frames();
  }
  parts_->take_tasks(graph);
}
bool Executable::packs(std::size_t param) const { return parts_->packing[param].has_value(); }
const std::vector<TaskTime>& Executable::times() const { return parts_->times; }

int64_t Executable::Parts::memory_bytes() const {
  int64_t sum = between.bytes();
  for (const auto& t : frames) sum += t->memory.bytes();
  return sum;
}

int64_t Executable::memory_bytes() const { return parts_->memory_bytes(); }

Weights Executable::bind_weights(const ir::Bindings& bindings, Source source, Pool* pool) const {
  const ir::Program& program = parts_->plan.program;
  Weights weights;
  weights.packed.resize(program.params.size());
  int64_t needed = 0;
  for (std::size_t p = 0; p < program.params.size(); ++p) {
    if (!packs(p)) continue;
    const ir::Var& var = program[program.params[p].var];
    require_array(program, var, p < bindings.arrays.size() ? bindings.arrays[p] : nullptr);
    const int64_t bytes = packed_elements(var.shape, *parts_->packing[p]) * 2;
    // One weight at a time: with Release the one before has been given back.
    needed = source == Source::Release ? std::max(needed, bytes) : needed + bytes;
  }
  require_memory(program, "packed weights", needed, parts_->memory_left());
  for (std::size_t p = 0; p < program.params.size(); ++p) {
    if (!packs(p)) continue;
    HostArray& from = *bindings.arrays[p];
    const PackedArg& how = *parts_->packing[p];
    weights.packed[p] = Pages(packed_elements(from.shape(), how) * 2);
    auto* to = reinterpret_cast<uint16_t*>(weights.packed[p].data());
    const int64_t panels = panel_count(from.shape(), how);
    const int64_t threads = pool ? pool->threads() : 1;
    const auto pack_share = [&](int t) {
      pack_panels(from, how, panels * t / threads, panels * (t + 1) / threads, to);
    };
    if (pool)
      pool->run(pack_share);
    else
      pack_share(0);
    if (source == Source::Release) from = HostArray();
  }
  return weights;
}

void Executable::run(Pool& pool, const Weights& weights, const ir::Bindings& bindings) {
  Parts& parts = *parts_;
  check(pool.threads() <= static_cast<int>(parts.frames.size()), "more threads than frames");
  parts.set_addresses(weights, bindings);
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
