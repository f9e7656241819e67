#include "tilewright/golden/exact/task_run.h"

#include <algorithm>

#include "tilewright/golden/exact/operand_checks.h"
#include "tilewright/golden/exact/walker.h"

namespace tilewright::golden::exact {
namespace {

std::optional<WatchedWait> watched_in(ir::KernelId kernel, const ExactOptions& options) {
  return options.watched && options.watched->kernel == kernel ? options.watched : std::nullopt;
}

}  // namespace

TaskRun::TaskRun(const ExactRun& run, ir::KernelId kernel, ir::TaskArgs args,
                 Scalars scalars)
    : run_(run),
      program_(run.plan.program),
      kernel_(run.plan.kernel(kernel)),
      code_(kernel_.lowered),
      args_(args),
      scalars_(std::move(scalars)),
      env_(program_, code_),
      order_(code_, watched_in(kernel, run.options)),
      races_(code_, order_.clocks(), run.findings),
      executor_(program_, kernel_, run.memory, run.findings),
      queues_(executor_, run.schedule) {
  for (const ir::Instruction& in : code_.instructions)
    if (in.dst && in.dst->arg >= 0)
      written_.insert(args_[static_cast<std::size_t>(in.dst->arg)].buffer);
}

void TaskRun::run() {
  Walker(program_, kernel_, scalars_, [this](int id) { issue(id); }).run();
  queues_.drain();
}

void TaskRun::count(ExactResult& result) const {
  result.instances += order_.clocks().count();
  result.pairs += races_.pairs();
  result.watched += order_.watched();
  result.watched_unordered += order_.watched_unordered();
}

Site TaskRun::site(const ir::Instruction& in) const {
  return {&program_, kernel_.name, &in.place(),
          in.action == ir::Action::Read ? "read" : ir::op_name(in.op.kind)};
}

// ---- issue -------------------------------------------------------------------------------------

void TaskRun::issue(int id) {
  const ir::Instruction& in = instruction(id);
  if (in.action == ir::Action::Name) return name(in);
  if (in.action == ir::Action::Read) return read(id);
  Instance next = make_instance(id);
  check_accesses(next);
  queues_.push(in.unit(), std::move(next));
}

void TaskRun::name(const ir::Instruction& in) {
  const Site here = site(in);
  const Shape offset = in.view ? scalars_.integers(in.view->offset, here) : Shape();
  env_.name(in, constant_op(in, scalars_, here), offset);
}

// The issuer stops until the scalar is there.
void TaskRun::read(int id) {
  const ir::Instruction& in = instruction(id);
  const Shape index = scalars_.integers(in.read.index, site(in));
  const auto at = locations(in).front();
  const Order::Next next = order_.next(id, env_);
  order_.hold(next.number);
  if (at) {
    check_range(id, *at, {index, Shape(index.size(), 1)}, run_.findings);
    races_.on_chip(who(id, next.number), at->storage, at->copy, false);
  } else {
    check_gm(who(id, next.number), in.src.front().arg, index, {1}, false);
  }
  queues_.run_until_done(next.waits);
  const bool written = !at || env_.written(*at, {index, Shape(index.size(), 1)});
  scalars_.set(in.read.var, executor_.element(id, at, index, written));
  queues_.skip(next.number);
}

std::vector<std::optional<Location>> TaskRun::locations(const ir::Instruction& in) {
  std::vector<std::optional<Location>> out;
  for (const ir::Operand& o : in.src)
    out.push_back(o.storage >= 0 ? std::optional(env_.at(o)) : std::nullopt);
  return out;
}

Instance TaskRun::make_instance(int id) {
  const ir::Instruction& in = instruction(id);
  Instance next;
  next.instruction = id;
  next.op = constant_op(in, scalars_, site(in));
  next.src = locations(in);
  if (in.dst->storage >= 0) {
    next.dst = env_.define(in, next.op);
    next.written = valid_window(*next.dst);
    if (next.op.kind == ir::OpKind::Assemble)
      next.written = {scalars_.integers(next.op.offset, site(in)),
                      with_leading_ones(next.src[0]->valid_shape(), next.dst->rank())};
  }
  for (const auto& at : next.src)
    next.reads_undefined |= at && !env_.written(*at, valid_window(*at));
  if (next.dst) {
    next.reads_undefined |= ir::reads_dst(next.op) && !env_.written(*next.dst, next.written);
    env_.write(*next.dst, next.written);
  }
  Order::Next order = order_.next(id, env_);
  next.number = order.number;
  next.waits = std::move(order.waits);
  return next;
}

// ---- checks ------------------------------------------------------------------------------------

void TaskRun::check_accesses(const Instance& i) {
  const ir::Instruction& in = instruction(i.instruction);
  const Who me = who(i.instruction, i.number);
  for (const auto& at : i.src)
    if (at) check_range(i.instruction, *at, valid_window(*at), run_.findings);
  if (i.dst) check_range(i.instruction, *i.dst, i.written, run_.findings);
  check_overlap(i, run_.findings);

  for (const auto& at : i.src)
    if (at) races_.on_chip(me, at->storage, at->copy, false);
  if (i.dst) races_.on_chip(me, i.dst->storage, i.dst->copy, true);
  if (in.scratch >= 0) races_.on_chip(me, in.scratch, 0, true);
  const Shape offset = scalars_.integers(i.op.offset, site(in));
  if (in.action == ir::Action::Load) {
    Shape extent = i.dst->valid_shape();
    if (i.op.transpose) std::ranges::reverse(extent);
    check_gm(me, in.src[0].arg, offset, extent, false);
  } else if (in.action == ir::Action::Store) {
    check_gm(me, in.dst->arg, offset, i.src[0]->valid_shape(), true);
  }
}

void TaskRun::check_gm(const Who& me, int arg, const Shape& offset, const Shape& extent,
                       bool write) {
  const ir::TensorRef& ref = args_[static_cast<std::size_t>(arg)];
  if (!ref.buffer.valid() || !written_.contains(ref.buffer)) return;
  const int64_t cols = run_.graph.buffers[ref.buffer.index()].cols();
  races_.in_gm(me, ref.window(offset.data(), extent), cols, write);
}

}  // namespace tilewright::golden::exact
