// Plan + run-time scalars -> TaskGraph.
#include <fmt/format.h>

#include <bit>
#include <unordered_map>

#include "tilewright/base/check.h"
#include "tilewright/base/stop.h"
#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/compile/unroll/buffers.h"
#include "tilewright/compile/unroll/control.h"
#include "tilewright/compile/unroll/independence.h"
#include "tilewright/compile/unroll/kernel_trace.h"
#include "tilewright/compile/unroll/task_names.h"
#include "tilewright/compile/unroll/undefined_report.h"
#include "tilewright/compile/unroll/unread_input.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"

namespace tilewright::compile {
namespace {

using namespace ir;

constexpr std::size_t kMostTasks = 20'000'000;
constexpr std::size_t kMostRuns = 250'000'000;     // of edges: 4 GB
constexpr std::size_t kMostEdges = 4'000'000'000;  // those who list them number them with 32 bits

// After a mistake the tasks are looked at for further ones only: so many of each kernel.
constexpr uint32_t kTracedAfterError = 10'000;

// What the orchestrator is taken to read of data that tasks compute. Most such numbers count rows:
// one row is enough to look at every task.
constexpr int64_t kDeviceRead = 1;

class Unroller {
 public:
  Unroller(const Plan& plan, const Bindings& bindings)
      : plan_(plan),
        p_(plan.program),
        inputs_(bindings),
        env_(plan.program.vars.size()),
        bound_(plan.program.vars.size()),
        findings_(plan.program),
        names_(plan.program),
        causes_(plan.program),
        trace_(plan, bound_, iteration_, findings_, causes_,
               [this](VarId array, int64_t element) { return read_element(array, element); }) {}

  std::optional<TaskGraph> run(Diagnostics& diagnostics) {
    if (ranks_.is_on()) trace_.record_ranks(&ranks_);
    bind_parameters();
    if (ranks_.is_on())
      for (Parameter& parameter : parameter_states_) parameter.due = part_of_rank(parameter);
    execute(p_.body, env_, *this);
    // After other errors, what is undefined is a consequence, most likely.
    if (!findings_.has_errors()) report_undefined(p_, parameter_states_, causes_, findings_);
    if (!findings_.has_errors() && !ranks_.is_on()) report_unread_inputs(plan_, graph_, findings_);
    ranks_.finish(graph_);
    findings_.finish(diagnostics);
    if (findings_.has_errors()) return std::nullopt;
    return std::move(graph_);
  }

  // ---- visitor of control.h ----

  void op(const Op& op) {
    switch (op.kind) {
      case OpKind::Create: create(op); return;
      case OpKind::Slice: view(op); return;
      case OpKind::Reshape: reshape(op); return;
      default: bug(fmt::format("{} in the orchestration of a plan", op_name(op.kind)));
    }
  }

  void read(const Read& read) {
    const Binding& b = bound_[read.array.index()];
    const std::optional<double> recorded = task_reads_.next(read.place);
    std::array<int64_t, kMaxRank> offset{};
    for (std::size_t i = 0; i < read.index.size(); ++i) {
      const auto v = evaluate(read.index[i], env_);
      if (!v) return unset_scalar(&read, read.place);
      offset[i] = *v;
      if (*v >= 0 && *v < p_[read.array].shape[i]) continue;
      findings_.add(&read, read.place, "", written_text(read, p_),
                    out_of_bounds("read", *v, *v, i, p_[read.array], iteration_.text(p_, env_)));
      env_.set(read.var, 0);
      return;
    }
    if (!b.buffer || !b.buffer->read_only) return read_of_tasks(read, recorded);
    const int64_t element = b.ref.window(offset.data(), Shape(read.index.size(), 1)).base;
    const auto value = read_element(read.array, element);
    if (is_float(p_[read.var].dtype)) return env_.set_real(read.var, value.value_or(0.0));
    if (!value)
      findings_.add(&read, read.place, "", written_text(read, p_),
                    {.code = "no-data",
                     .what = fmt::format("no data for {}", p_[read.array].written_name()),
                     .law = "scalars that control loops and branches must be known before tasks "
                            "run",
                     .help = "bind the parameter"});
    env_.set(read.var, static_cast<int64_t>(value.value_or(0.0)));
  }

  // What tasks write is known when the program has run; a number stands for it until then.
  void read_of_tasks(const Read& read, std::optional<double> known) {
    findings_.add(
        &read, read.place, "", written_text(read, p_),
        {.severity = Severity::Note,
         .code = "device-read",
         .what = fmt::format("the orchestrator reads {}, which tasks write", p_[read.array].written_name()),
         .law = fmt::format("the orchestrator waits for these tasks, and the tasks that "
                            "it submits next depend on data{}",
                            known ? "" : fmt::format("; {} is assumed here", kDeviceRead)),
         .help = "read it inside the scope that needs it, so that all tasks are known "
                 "before they run"});
    const double value = known.value_or(kDeviceRead);
    if (is_float(p_[read.var].dtype))
      env_.set_real(read.var, value);
    else
      env_.set(read.var, static_cast<int64_t>(value));
  }

  void compute_scalar(const Compute& c) { ir::execute(c, p_, env_); }

  void tasks(const TaskSet& set) {
    if (const auto problem = names_.set(set, env_)) findings_.add(&set, set.place, "", "", *problem);
  }

  void signal(const Signal&) { bug("a signal outside any kernel"); }
  void external(const ExternalCall&) { bug("an external kernel outside any scope"); }

  void begin_loop(const For& f) {
    iteration_.begin(f);
    independence_.begin_loop(f);
    trips_around_.push_back(trip_);
    if (f.kind == LoopKind::Spmd) {
      spmd_block_ = 0;
      submit(f.order, f.place);
    }
  }

  void enter_trip(const For& f, int64_t trip) {
    independence_.enter_trip(f, trip);
    if (f.kind == LoopKind::Spmd)
      spmd_block_ = static_cast<int>(trip);
    else
      trip_ = ++trips_;
  }

  void leave_loop(const For& f) {
    iteration_.leave();
    independence_.leave_loop(f);
    trip_ = trips_around_.back();
    trips_around_.pop_back();
    if (f.kind == LoopKind::Spmd) spmd_block_ = -1;
  }

  void fail(const Place& place, Problem problem) {
    findings_.add(&place, place, "", "", std::move(problem));
  }

  // Tasks never give the orchestrator a scalar: one that is unknown here was not set.
  bool undecided(const For& loop, std::span<const VarId> unknown) {
    return undecided(loop.place, unknown);
  }
  bool undecided(const Place& place, std::span<const VarId>) {
    unset_scalar(&place, place);
    return false;
  }
  void forget(std::span<const VarId>) {}
  void begin_either(std::vector<VarId>) {}
  void other_side() {}
  void end_either() {}
  void let(const Let&) {}

  void unset_scalar(const void* subject, const Place& place, std::string_view name = "") {
    findings_.add(subject, place, "", "",
                  {.code = "undefined-scalar",
                   .what = fmt::format("{} is used before it is set",
                                       name.empty() ? std::string("a scalar")
                                                    : fmt::format("scalar {}", name)),
                   .law = "a scalar must be set on every path before it is used, and a loop "
                          "variable exists only in its loop",
                   .help = "set the scalar before the branch or loop that may not run"});
  }

  void scope(const Scope& call) {
    stop_if_asked();
    const Kernel& kernel = plan_.kernel(call.kernel);
    if (is_too_large(call, kernel)) return;
    const TaskId id(graph_.tasks.size());
    Task task;
    task.kernel = call.kernel;
    if (spmd_block_ < 0) submit(call.order, call.place);
    task.submission = static_cast<uint32_t>(graph_.submissions.size() - 1);
    task.block = spmd_block_ < 0 ? 0 : static_cast<uint32_t>(spmd_block_);
    if (findings_.has_errors() && ++traced_[call.kernel.index()] > kTracedAfterError)
      return skip(kernel);
    for (const KernelArg& a : kernel.args)
      if (a.escape) bind_new(a.var);
    for (VarId v : kernel.scalars)
      if (!env_.known(v)) unset_scalar(&call, call.place, p_[v].written_name());
    record_arguments(kernel, task);
    task.accesses_begin = static_cast<uint32_t>(graph_.accesses.size());
    if (ranks_.is_on()) ranks_.begin_task(id, rank());
    trace_.run(kernel, env_, static_cast<uint32_t>(id.index()), graph_.accesses);
    ranks_.end_task();
    task.accesses_end = static_cast<uint32_t>(graph_.accesses.size());
    graph_.tasks.push_back(task);
    independence_.add_task();
    connect(id, kernel);
  }

 private:
  // A trip of a parallel or spmd loop, linked to the trip around it.
  // ---- arrays ----

  std::shared_ptr<BufferState> new_buffer(VarId v, int param) {
    const Var& var = p_[v];
    auto b = std::make_shared<BufferState>();
    b->id = BufferId(graph_.buffers.size());
    b->var = v;
    b->cols = var.shape.back();
    const int64_t rows = element_count(var.shape) / b->cols;
    const Direction direction =
        param < 0 ? Direction::Out : p_.params[static_cast<std::size_t>(param)].direction;
    b->read_only = direction == Direction::In;
    b->known = b->read_only && !p_.params[static_cast<std::size_t>(param)].unsaid;
    b->contents =
        Contents(rows, b->cols, direction == Direction::Out ? causes_.never_written(v) : kNoCause);
    if (!b->read_only) b->regions = RegionMap(rows, b->cols);
    graph_.buffers.push_back({v, var.shape, var.dtype, param, std::nullopt, trip_});
    states_.push_back(b);
    return b;
  }

  void bind_parameters() {
    for (std::size_t i = 0; i < p_.params.size(); ++i) {
      const VarId v = p_.params[i].var;
      if (p_[v].scalar) {
        const double value = i < inputs_.scalars.size() ? inputs_.scalars[i] : 0;
        if (is_float(p_[v].dtype))
          env_.set_real(v, value);
        else
          env_.set(v, static_cast<int64_t>(value));
        continue;
      }
      const auto buffer = new_buffer(v, static_cast<int>(i));
      bound_[v.index()] = {TensorRef::whole(buffer->id, p_[v].shape), buffer};
      parameter_states_.push_back({v, buffer, buffer->contents.whole()});
    }
  }

  int64_t rank() const { return p_.rank.valid() ? env_.value(p_.rank) : 0; }

  // What this program is to write of a parameter: of one that has a part for each rank, its own.
  Rect part_of_rank(const Parameter& parameter) const {
    const Shape& shape = p_[parameter.var].shape;
    Rect part = parameter.due;
    if (shape.front() != p_.ranks) return part;
    int64_t& size = shape.size() == 1 ? part.cols : part.rows;
    size /= p_.ranks;
    (shape.size() == 1 ? part.col : part.row) = rank() * size;
    return part;
  }

  void create(const Op& op) {
    bind_new(op.dst);
    if (!op.scalar) return;
    Contents& contents = bound_[op.dst.index()].buffer->contents;
    contents.define(contents.whole());
    graph_.buffers.back().fill = fill_of(*op.scalar, op);
  }

  double fill_of(const ScalarOperand& value, const Op& op) {
    if (value.kind == ScalarOperand::Kind::Literal) return value.literal;
    if (value.kind == ScalarOperand::Kind::Variable && is_float(p_[value.variable].dtype)) {
      if (env_.known(value.variable)) return env_.real(value.variable);
    } else {
      const Expr e = value.kind == ScalarOperand::Kind::Index ? value.index : Expr::var(value.variable);
      if (const auto v = evaluate(e, env_)) return static_cast<double>(*v);
    }
    unset_scalar(&op, op.place);
    return 0;
  }

  void bind_new(VarId v) {
    const auto buffer = new_buffer(v, -1);
    bound_[v.index()] = {TensorRef::whole(buffer->id, p_[v].shape), buffer};
  }

  void view(const Op& op) {
    const Binding& source = bound_[op.args[0].index()];
    if (!source.buffer) return undefined_source(op);
    const Var& array = p_[op.args[0]];
    const Shape& shape = p_[op.dst].shape;
    const std::size_t dropped = array.shape.size() - shape.size();
    std::array<int64_t, kMaxRank> offset{};
    for (std::size_t i = 0; i < array.shape.size(); ++i) {
      const auto v = evaluate(op.offset[i], env_);
      if (!v) {
        unset_scalar(&op, op.place);
        return stand_in(op.dst);
      }
      offset[i] = *v;
      const int64_t size = i < dropped ? 1 : shape[i - dropped];
      if (*v >= 0 && *v + size <= array.shape[i]) continue;
      findings_.add(&op, op.place, "", written_text(op, p_),
                    out_of_bounds("slice", *v, *v + size - 1, i, array, iteration_.text(p_, env_)));
      return stand_in(op.dst);
    }
    bound_[op.dst.index()] = {source.ref.window(offset.data(), shape), source.buffer, true,
                              static_cast<uint32_t>(graph_.tasks.size())};
  }

  void reshape(const Op& op) {
    const Binding& source = bound_[op.args[0].index()];
    if (!source.buffer) return undefined_source(op);
    if (p_[op.dst].shape == p_[op.args[0]].shape) {  // another name of the same tensor
      bound_[op.dst.index()] = Binding(source);
      return;
    }
    if (!source.ref.is_dense()) {
      findings_.add(&op, op.place, "", written_text(op, p_),
                    {.code = "reshape-view",
                     .what = fmt::format("reshape of {}, a slice whose rows are not contiguous",
                                         p_[op.args[0]].written_name()),
                     .law = "a reshape outside a scope is a view, so it needs contiguous elements",
                     .help = "reshape the whole tensor first and slice afterwards"});
      return stand_in(op.dst);
    }
    bound_[op.dst.index()] = {source.ref.reshaped(p_[op.dst].shape), source.buffer, true,
                              static_cast<uint32_t>(graph_.tasks.size())};
  }

  void undefined_source(const Op& op) {
    findings_.add(&op, op.place, "", written_text(op, p_), never_made(p_[op.args[0]], "used"));
    stand_in(op.dst);
  }

  // After a mistake that has been told: a tensor whose use gives no further messages.
  void stand_in(VarId v) {
    bind_new(v);
    Contents& contents = bound_[v.index()].buffer->contents;
    contents.define(contents.whole());
  }

  // ---- scalars ----

  const HostArray* data_of(VarId array) const {
    const BufferState& b = *bound_[array.index()].buffer;
    const int param = graph_.buffers[b.id.index()].param;
    if (param < 0 || static_cast<std::size_t>(param) >= inputs_.arrays.size()) return nullptr;
    return inputs_.arrays[static_cast<std::size_t>(param)];
  }

  std::optional<double> read_element(VarId array, int64_t element) const {
    const HostArray* data = data_of(array);
    return data ? std::optional(data->at(element)) : std::nullopt;
  }

  // ---- tasks ----

  // Opens the submission that the next tasks belong to.
  void submit(const TaskOrder& order, const Place& place) {
    const auto s = static_cast<uint32_t>(graph_.submissions.size());
    if (const auto problem = names_.collect(order.deps, env_, graph_.stated))
      findings_.add(&order, place, "", "", *problem);
    for (VarId v : order.untracked)
      if (const auto& b = bound_[v.index()].buffer) graph_.untracked.push_back(b->id);
    if (order.task.valid()) names_.name(order, s);
    graph_.submissions.push_back({order.says_something() ? &order : nullptr,
                                  static_cast<uint32_t>(graph_.stated.size()),
                                  static_cast<uint32_t>(graph_.untracked.size()), trip_});
  }

  bool is_too_large(const Scope& call, const Kernel& kernel) {
    const bool tasks = graph_.tasks.size() >= kMostTasks;
    const bool edges = graph_.edges.size() >= kMostEdges || graph_.edges.runs() >= kMostRuns;
    if (!tasks && !edges) return false;
    if (!told_size_)
      findings_.add(&call, call.place, kernel.name, "",
                    {.code = tasks ? "too-many-tasks" : "too-many-dependences",
                     .what = tasks ? fmt::format("more than {} tasks", kMostTasks)
                                   : fmt::format("more than {} dependences among {} tasks",
                                                 graph_.edges.size(), graph_.tasks.size()),
                     .law = "the task graph must fit in memory",
                     .help = "do more work per task, or check the program at a smaller size"});
    told_size_ = true;
    return true;
  }

  // What a task that is not looked at would have written counts as defined.
  void skip(const Kernel& kernel) {
    findings_.counts_are_least();
    for (const KernelArg& a : kernel.args) {
      if (a.escape && !bound_[a.var.index()].buffer) bind_new(a.var);
      BufferState* b = bound_[a.var.index()].buffer.get();
      if (b && a.direction != Direction::In) b->contents.define(b->contents.whole());
    }
  }

  void record_arguments(const Kernel& kernel, Task& task) {
    task.scalars_begin = static_cast<uint32_t>(graph_.scalars.size());
    for (VarId v : kernel.scalars)
      graph_.scalars.push_back(!env_.known(v)          ? 0
                               : is_float(p_[v].dtype) ? std::bit_cast<int64_t>(env_.real(v))
                                                       : env_.value(v));
    task.args_begin = static_cast<uint32_t>(graph_.args.size());
    for (const KernelArg& a : kernel.args) graph_.args.push_back(view_of(bound_[a.var.index()]));
  }

  uint32_t view_of(Binding& b) {
    if (!b.view) {
      b.view = static_cast<uint32_t>(graph_.views.size());
      graph_.views.push_back(b.ref);
    }
    return *b.view;
  }

  // Edges from earlier tasks: what was read first, then what was written.
  void connect(TaskId id, const Kernel& kernel) {
    const Task& task = graph_.tasks[id.index()];
    graph_.edges.begin_task();
    seen_.resize(graph_.tasks.size(), 0);
    if (kernel.external.valid() && task.block > 0) return follow_first_block(id);
    for (const bool write : {false, true}) {
      for (const Access& a : graph_.accesses_of(task)) {
        BufferState& b = *states_[a.buffer.index()];
        if (a.write != write || b.read_only) continue;
        const auto visit = [&](TaskId from, EdgeKind kind) {
          if (from == id || seen_[from.index()] == id.value + 1) return;
          seen_[from.index()] = id.value + 1;
          for_each_block(from, [&](TaskId t) { graph_.edges.add({t, kind, a.buffer}); });
          independence_.conflict(from, id, kind, a);
        };
        if (write) {
          b.regions.write(a.rect, {id, a.op && !a.op->shared ? a.op->dst : VarId()}, visit);
        } else {
          b.regions.read(a.rect, id, visit);
        }
      }
    }
    release_unreachable();
  }

  // The blocks of an external launch share its work in a way that nobody here knows. The first
  // stands for all of them: they wait for what it waits for, and who waits for it waits for all.
  void follow_first_block(TaskId id) { graph_.edges.add_all_of(TaskId(id.index() - 1)); }

  template <class Visit>
  void for_each_block(TaskId first, Visit&& visit) const {
    visit(first);
    const Task& task = graph_.tasks[first.index()];
    if (!plan_.kernel(task.kernel).external.valid()) return;
    for (std::size_t t = first.index() + 1;
         t < graph_.tasks.size() && graph_.tasks[t].submission == task.submission; ++t)
      visit(TaskId(t));
  }

  // Buffers that no name reaches any more cannot be touched again.
  void release_unreachable() {
    if (states_.size() < released_ + 4096) return;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i] && states_[i].use_count() == 1) states_[i].reset();
    released_ = states_.size();
  }

  const Plan& plan_;
  const Program& p_;
  const Bindings& inputs_;
  TaskReads::Cursor task_reads_{inputs_.task_reads.get()};
  ScalarEnv env_;
  std::vector<Binding> bound_;
  Iteration iteration_;
  Findings findings_;
  TaskNames names_;
  Causes causes_;
  KernelTrace trace_;
  RankTrace ranks_{p_};
  TaskGraph graph_;
  std::vector<std::shared_ptr<BufferState>> states_;  // by buffer id
  std::vector<Parameter> parameter_states_;
  std::size_t released_ = 0;
  std::vector<uint32_t> seen_;  // by task: the last task that has an edge from it, plus one
  Independence independence_{plan_, graph_, findings_};
  std::vector<uint32_t> traced_ = std::vector<uint32_t>(plan_.kernels.size());  // after an error
  bool told_size_ = false;
  int spmd_block_ = -1;
  uint32_t trip_ = 0, trips_ = 0;  // the current one, and how many there were; not of spmd loops
  std::vector<uint32_t> trips_around_;
};

}  // namespace

std::optional<TaskGraph> unroll(const Plan& plan, const Bindings& bindings, Diagnostics& diagnostics) {
  return Unroller(plan, bindings).run(diagnostics);
}

}  // namespace tilewright::compile
