#include "tilewright/sim/replay.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tilewright/base/check.h"

namespace tilewright::sim {

using namespace ir;

namespace {

// When data decides a branch, the simulator assumes the longer way: not the branch that leaves the
// iteration.
bool leaves(const LoweredBlock& block) {
  return !block.empty() && (block.back().as<Break>() || block.back().as<Continue>());
}

}  // namespace

Replay::Replay(const Program& program, const Costs& costs, const Kernel& kernel,
               const ReadElement& read, int ring_depth)
    : p_(program),
      costs_(costs),
      kernel_(kernel),
      code_(kernel.lowered),
      read_(read),
      ring_depth_(ring_depth),
      flag_(Costs::from_ns(costs.timing().core.flag_ns)),
      issue_time_(Costs::from_ns(costs.timing().core.issue_ns)),
      seen_(Costs::from_ns(costs.timing().cross.latency_ns)),
      env_(program.vars.size()),
      history_(code_.instructions.size()),
      rotation_(code_.storage.size()) {
  has_valid_ = std::ranges::any_of(code_.instructions,
                                   [](const Instruction& in) { return !in.op.valid.empty(); });
  track_copies();
}

int Replay::copies_of(const Wait& w) const {
  const bool ring = w.storage >= 0 && storage(w.storage).is_ring();
  return ring && ring_depth_ > 0 ? std::min(w.copies, ring_depth_) : w.copies;
}

// Finds the instructions whose executions must be distinguished: those that a wait for one of
// several copies refers to.
void Replay::track_copies() {
  for (const Instruction& in : code_.instructions)
    for (const Wait& w : in.waits) {
      if (copies_of(w) == 1) continue;
      auto& tracked = history_[static_cast<std::size_t>(w.on)].by_copy;
      if (std::ranges::find(tracked, w.storage, &Tracked::storage) == tracked.end())
        tracked.push_back({w.storage, copies_of(w), {}});
    }
}

void Replay::reset(const Execution& e) {
  e_ = &e;
  out_ = {};
  free_.fill(0);
  ranges_.clear();
  issue_.fill(Costs::from_ns(costs_.timing().core.kernel_ns));
  end_ = issue_[0];
  for (History& h : history_) {
    h.last = {};
    for (Tracked& t : h.by_copy) t.done.assign(static_cast<std::size_t>(t.copies), {});
  }
  std::ranges::fill(rotation_, 0);
  hbm_by_arg_.assign(kernel_.args.size(), 0);
  if (has_valid_) {
    extents_.resize(p_.vars.size());
    for (const Instruction& in : code_.instructions) {
      if (in.action == Action::Read) continue;
      extents_[in.op.dst.index()] = full_extent(p_[in.op.dst]);
      for (VarId v : in.op.args) extents_[v.index()] = full_extent(p_[v]);
    }
  }
  for (std::size_t i = 0; i < kernel_.scalars.size(); ++i) {
    const VarId v = kernel_.scalars[i];
    if (is_float(p_[v].dtype))  // passed as the bits of a double
      env_.set_real(v, std::bit_cast<double>(e.scalars[i]));
    else
      env_.set(v, e.scalars[i]);
  }
}

KernelProfile Replay::run(const Execution& e) {
  reset(e);
  run_block(code_.body);
  for (int64_t t : free_) end_ = std::max(end_, t);
  out_.duration = std::max({end_, issue_[0], issue_[1]});
  for (int64_t h : hbm_by_arg_) out_.hbm_cost += h;
  return std::move(out_);
}

// ---- control -----------------------------------------------------------------------------------

Replay::Flow Replay::run_block(const LoweredBlock& block) {
  for (const LoweredNode& n : block)
    if (const Flow flow = run_node(n); flow != Flow::Normal) return flow;
  return Flow::Normal;
}

Replay::Flow Replay::run_node(const LoweredNode& n) {
  if (const auto* issue = n.as<LoweredNode::Issue>()) {
    execute(issue->instruction);
  } else if (const auto* f = n.as<LoweredFor>()) {
    return run_loop(*f);
  } else if (const auto* w = n.as<LoweredWhile>()) {
    for (;;) {
      const auto go_on = evaluate(w->condition, env_);
      if (go_on && !*go_on) return Flow::Normal;
      // Data decides: one trip is assumed.
      if (run_block(w->body) == Flow::Break || !go_on) return Flow::Normal;
    }
  } else if (const auto* c = n.as<LoweredIf>()) {
    const bool taken = evaluate(c->condition, env_).value_or(!leaves(c->then_body));
    return run_block(taken ? c->then_body : c->else_body);
  } else if (const auto* let = n.as<Let>()) {
    if (const auto v = evaluate(let->value, env_))
      env_.set(let->var, *v);
    else
      env_.forget(let->var);
    ranges_.let(*let, env_);
  } else if (const auto* compute = n.as<Compute>()) {
    compute_scalar(*compute);
  } else if (const auto* g = n.as<Group>()) {
    return run_block(g->body);
  } else if (n.as<Break>()) {
    return Flow::Break;
  } else if (n.as<Continue>()) {
    return Flow::Continue;
  }
  return Flow::Normal;
}

Replay::Flow Replay::run_loop(const LoweredFor& f) {
  const auto start = evaluate(f.start, env_);
  const auto stop = evaluate(f.stop, env_);
  if (!start || !stop) return run_assumed(f, start);
  for (int64_t i = *start; f.step > 0 ? i < *stop : i > *stop; i += f.step) {
    env_.set(f.var, i);
    issue(CoreSide::Cube);
    issue(CoreSide::Vector);
    if (run_block(f.body) == Flow::Break) break;
  }
  return Flow::Normal;
}

// A loop whose bounds only data knows.
Replay::Flow Replay::run_assumed(const LoweredFor& f, std::optional<int64_t> start) {
  const LoopBounds bounds{f.start, f.stop, f.step};
  const int64_t trips = assumed_trips(ranges_.most_trips(bounds, env_));
  ranges_.loop(f.var, bounds, env_);
  for (int64_t trip = 0; trip < trips; ++trip) {
    if (start)
      env_.set(f.var, *start + trip * f.step);
    else
      env_.forget(f.var);
    issue(CoreSide::Cube);
    issue(CoreSide::Vector);
    if (run_block(f.body) == Flow::Break) break;
  }
  return Flow::Normal;
}

// ---- instructions ------------------------------------------------------------------------------

int64_t Replay::waits_over(const Instruction& in) const {
  int64_t at = 0;
  for (const Wait& w : in.waits) at = std::max(at, wait_over(w));
  return at;
}

int64_t Replay::other_side_over(const Instruction& in) const {
  int64_t at = 0;
  for (const Wait& w : in.waits)
    if (instruction(w.on).side != in.side) at = std::max(at, wait_over(w));
  return at;
}

int64_t Replay::wait_over(const Wait& w) const {
  const History& h = history_[static_cast<std::size_t>(w.on)];
  const Done* done = &h.last;
  if (const int copies = copies_of(w); copies > 1) {
    const auto t = std::ranges::find(h.by_copy, w.storage, &Tracked::storage);
    // The buffer rotates with the write, so the copy that will be written is the next one.
    done = &t->done[static_cast<std::size_t>(
        (rotation_[static_cast<std::size_t>(w.storage)] + 1) % copies)];
  }
  if (done->end < 0) return 0;
  const bool ring = w.storage >= 0 && storage(w.storage).is_ring();
  return (w.why == Wait::For::Room ? done->end : done->usable) + (ring ? seen_ : flag_);
}

void Replay::finish(int id, Done done) {
  const Instruction& in = instruction(id);
  if (in.rotates) ++rotation_[static_cast<std::size_t>(in.dst->storage)];
  History& h = history_[static_cast<std::size_t>(id)];
  h.last = done;
  for (Tracked& t : h.by_copy)
    t.done[static_cast<std::size_t>(rotation_[static_cast<std::size_t>(t.storage)] % t.copies)] =
        done;
  end_ = std::max(end_, done.usable);
}

void Replay::execute(int id) {
  const Instruction& in = instruction(id);
  if (in.action == Action::Read) return read_scalar(id);
  if (has_valid_) set_extent(in.op);
  if (in.action == Action::Name) return;
  if (in.action != Action::Clear) issue(in.side);
  int64_t& issued = issue_[static_cast<std::size_t>(in.side)];
  const int64_t ready = waits_over(in);
  // The scalar unit itself waits for the other side of a mixed task, and issues nothing meanwhile.
  if (in.action == Action::Push || in.action == Action::Pop)
    issued = std::max(issued, other_side_over(in));
  const int64_t earliest = std::max(issued, ready);
  const Cost c = cost(in);
  const int64_t end = occupy(in.side, in.pipe, earliest, c.time, &in.op);
  finish(id, {end, end + c.latency});
}

void Replay::read_scalar(int id) {
  const Instruction& in = instruction(id);
  const Read& read = in.read;
  env_.forget(read.var);
  ranges_.forget(read.var);
  const int64_t begin = std::max({issue_[0], issue_[1], waits_over(in)});
  if (in.src[0].arg < 0) return issue_.fill(begin + issue_time_);
  issue_.fill(begin + Costs::from_ns(costs_.timing().gm.scalar_read_ns));
  occupy(in.side, Pipe::Scalar, begin, issue_[0] - begin, nullptr);
  out_.gm_read += bytes_of(p_[read.array].dtype, 1);
  if (!read_) return;
  const TensorRef& tensor = e_->args[static_cast<std::size_t>(in.src[0].arg)];
  std::array<int64_t, kMaxRank> offset{};
  for (std::size_t i = 0; i < read.index.size(); ++i) {
    const auto v = evaluate(read.index[i], env_);
    if (!v) return;
    offset[i] = *v;
  }
  const int64_t element = tensor.window(offset.data(), Shape(read.index.size(), 1)).base;
  const auto value = read_(tensor, element);
  if (!value) return;
  if (is_float(p_[read.var].dtype))
    env_.set_real(read.var, *value);
  else
    env_.set(read.var, static_cast<int64_t>(*value));
}

// Scalars are computed by the core that issues the instructions; in a mixed kernel, by both sides.
void Replay::compute_scalar(const Compute& c) {
  ir::execute(c, p_, env_);
  issue(CoreSide::Cube);
  issue(CoreSide::Vector);
}

int64_t Replay::occupy(CoreSide side, Pipe pipe, int64_t earliest, int64_t time, const Op* op) {
  int64_t& free = free_[static_cast<std::size_t>(unit_of(side, pipe))];
  const int64_t begin = std::max(earliest, free);
  free = begin + time;
  out_.busy[static_cast<std::size_t>(side)][static_cast<std::size_t>(pipe)] += time;
  if (e_->keep_slices && time > 0) out_.slices.push_back({side, pipe, begin, free, op});
  return free;
}

}  // namespace tilewright::sim
