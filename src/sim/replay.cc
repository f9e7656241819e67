#include "tilewright/sim/replay.h"

#include <algorithm>
#include <cmath>

#include "tilewright/base/check.h"

namespace tilewright::sim {

using namespace ir;

Replay::Replay(const Program& program, const Costs& costs, const KernelCode& code,
               const ReadElement& read)
    : p_(program),
      costs_(costs),
      code_(code),
      read_(read),
      flag_(Costs::from_ns(costs.timing().core.flag_ns)),
      issue_time_(Costs::from_ns(costs.timing().core.issue_ns)),
      env_(program.vars.size()) {}

void Replay::reset(const Execution& e) {
  e_ = &e;
  out_ = {};
  free_.fill(0);
  issue_.fill(Costs::from_ns(costs_.timing().core.kernel_ns));
  end_ = issue_[0];
  buffers_.assign(code_.buffers.size(), {});
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    buffers_[i].copies.resize(static_cast<std::size_t>(code_.buffers[i].copies));
  rings_.assign(static_cast<std::size_t>(code_.rings),
                std::vector<int64_t>(static_cast<std::size_t>(costs_.timing().cross.slots), 0));
  ring_at_.assign(rings_.size(), 0);
  hbm_by_arg_.assign(code_.kernel->args.size(), 0);
  if (code_.has_valid) {
    extents_.resize(p_.vars.size());
    for (const Instruction& in : code_.instructions) {
      if (!p_[in.op->dst].shape.empty()) extents_[in.op->dst.index()] = extent_of(p_[in.op->dst]);
      for (VarId v : in.op->args) extents_[v.index()] = extent_of(p_[v]);
    }
  }
  for (std::size_t i = 0; i < code_.kernel->scalars.size(); ++i)
    env_.set(code_.kernel->scalars[i], e.scalars[i]);
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

Replay::Flow Replay::run_block(const std::vector<Node>& nodes) {
  for (const Node& n : nodes)
    if (const Flow flow = run_node(n); flow != Flow::Normal) return flow;
  return Flow::Normal;
}

Replay::Flow Replay::run_node(const Node& n) {
  switch (n.kind) {
    case Node::Kind::Instruction:
      execute(code_.instructions[static_cast<std::size_t>(n.instruction)]);
      return Flow::Normal;
    case Node::Kind::For:
    case Node::Kind::While: return run_loop(n);
    case Node::Kind::If: {
      const auto taken = evaluate(n.stmt->as<If>()->condition, env_);
      check(taken.has_value(), "a branch of an unrolled kernel is decided");
      return run_block(*taken ? n.body : n.other);
    }
    case Node::Kind::Let: {
      const Let& let = *n.stmt->as<Let>();
      if (const auto v = evaluate(let.value, env_))
        env_.set(let.var, *v);
      else
        env_.forget(let.var);
      return Flow::Normal;
    }
    case Node::Kind::Read: read_scalar(n); return Flow::Normal;
    case Node::Kind::Break: return Flow::Break;
    case Node::Kind::Continue: return Flow::Continue;
  }
  return Flow::Normal;
}

Replay::Flow Replay::run_loop(const Node& n) {
  if (const auto* w = n.stmt->as<While>()) {
    for (;;) {
      const auto go_on = evaluate(w->condition, env_);
      check(go_on.has_value(), "a loop of an unrolled kernel is decided");
      if (!*go_on || run_block(n.body) == Flow::Break) return Flow::Normal;
    }
  }
  const For& f = *n.stmt->as<For>();
  const auto start = evaluate(f.start, env_);
  const auto stop = evaluate(f.stop, env_);
  check(start && stop, "a loop of an unrolled kernel is decided");
  for (int64_t i = *start; f.step > 0 ? i < *stop : i > *stop; i += f.step) {
    env_.set(f.var, i);
    issue(CoreSide::Cube);
    issue(CoreSide::Vector);
    if (run_block(n.body) == Flow::Break) break;
  }
  return Flow::Normal;
}

void Replay::read_scalar(const Node& n) {
  const Read& read = *n.stmt->as<Read>();
  env_.forget(read.var);
  int64_t begin = std::max(issue_[0], issue_[1]);
  if (n.read_buffer >= 0) {
    const State& b = buffers_[static_cast<std::size_t>(n.read_buffer)];
    begin = std::max(begin, b.copies[b.current].ready + flag_);
    issue_.fill(begin + issue_time_);
    return;
  }
  issue_.fill(begin + Costs::from_ns(costs_.timing().gm.scalar_read_ns));
  const CoreSide side = code_.kernel->core == CoreKind::Vector ? CoreSide::Vector : CoreSide::Cube;
  occupy(side, Pipe::Scalar, begin, issue_[0] - begin, nullptr);
  out_.gm_read += bytes_of(p_[read.array].dtype, 1);
  if (!read_) return;
  const TensorRef& tensor = e_->args[static_cast<std::size_t>(n.read_arg)];
  std::array<int64_t, kMaxRank> offset{};
  for (std::size_t i = 0; i < read.index.size(); ++i) {
    const auto v = evaluate(read.index[i], env_);
    if (!v) return;
    offset[i] = *v;
  }
  const int64_t element = tensor.window(offset.data(), Shape(read.index.size(), 1)).base;
  if (const auto value = read_(tensor, element)) env_.set(read.var, *value);
}

// ---- hazards -----------------------------------------------------------------------------------

int64_t Replay::operands_ready(const Instruction& in, int pipe) {
  int64_t at = 0;
  for (int b : in.src) {
    const State& s = buffers_[static_cast<std::size_t>(b)];
    const Copy& c = s.copies[s.current];
    at = std::max(at, c.ready + (c.ready_pipe == pipe ? 0 : flag_));
  }
  return at;
}

int64_t Replay::destination_free(int buffer, bool rotates, int pipe) {
  int64_t at = 0;
  const auto wait = [&](const Copy& c) {
    if (c.free_pipe >= 0) at = std::max(at, c.free + (c.free_pipe == pipe ? 0 : flag_));
    if (c.ready_pipe >= 0 && c.ready_pipe != pipe) at = std::max(at, c.ready + flag_);
  };
  const State& s = buffers_[static_cast<std::size_t>(buffer)];
  wait(s.copies[rotates ? (s.current + 1) % s.copies.size() : s.current]);
  for (int o : code_.buffers[static_cast<std::size_t>(buffer)].overlaps)
    for (const Copy& c : buffers_[static_cast<std::size_t>(o)].copies) wait(c);
  return at;
}

int64_t Replay::occupy(CoreSide side, Pipe pipe, int64_t earliest, int64_t time, const Op* op) {
  int64_t& free = free_[static_cast<std::size_t>(pipe_id(side, pipe))];
  const int64_t begin = std::max(earliest, free);
  free = begin + time;
  out_.busy[static_cast<std::size_t>(side)][static_cast<std::size_t>(pipe)] += time;
  if (e_->keep_slices && time > 0) out_.slices.push_back({side, pipe, begin, free, op});
  return free;
}

void Replay::written(int buffer, bool rotates, int64_t ready, int pipe) {
  State& s = buffers_[static_cast<std::size_t>(buffer)];
  if (rotates) s.current = (s.current + 1) % s.copies.size();
  Copy& c = s.copies[s.current];
  c.ready = ready;
  c.ready_pipe = static_cast<int8_t>(pipe);
}

void Replay::finish(const Instruction& in, int64_t end, int64_t latency, int pipe) {
  for (int b : in.src) {
    State& s = buffers_[static_cast<std::size_t>(b)];
    Copy& c = s.copies[s.current];
    c.free = std::max(c.free, end);
    c.free_pipe = static_cast<int8_t>(pipe);
  }
  end_ = std::max(end_, end + latency);
  if (in.dst >= 0) written(in.dst, in.rotates, end + latency, pipe);
}

// ---- instructions ------------------------------------------------------------------------------

void Replay::execute(const Instruction& in) {
  if (code_.has_valid) set_extent(in);
  if (in.action == Action::Rename) {
    if (in.dst >= 0 && !in.src.empty()) {  // a tile with a valid shape of its own
      const State& s = buffers_[static_cast<std::size_t>(in.src[0])];
      const Copy& c = s.copies[s.current];
      if (in.dst != in.src[0]) written(in.dst, false, c.ready, c.ready_pipe);
    }
    return;
  }
  issue(in.side);
  if (in.action == Action::Cross) return cross(in);
  const int pipe = pipe_id(in.side, in.pipe);
  int64_t earliest = std::max(issue_[static_cast<std::size_t>(in.side)], operands_ready(in, pipe));
  if (in.dst >= 0) earliest = std::max(earliest, destination_free(in.dst, in.rotates, pipe));
  const Cost c = cost(in);
  finish(in, occupy(in.side, in.pipe, earliest, c.time, in.op), c.latency, pipe);
}

// The producing core pushes into a ring, the consuming core pops from it: through GM by a store and
// a load, or straight into the consumer's memory.
void Replay::cross(const Instruction& in) {
  const bool from_cube = in.side == CoreSide::Cube;
  const CoreSide to = from_cube ? CoreSide::Vector : CoreSide::Cube;
  const int push_pipe = pipe_id(in.side, in.pipe);
  const Extent e = extent(in.op->args[0]);
  const DType dtype = p_[in.op->args[0]].dtype;
  const int64_t bytes = bytes_of(dtype, e.elements());
  const int64_t seen = Costs::from_ns(costs_.timing().cross.latency_ns);
  auto& ring = rings_[static_cast<std::size_t>(in.ring)];
  std::size_t& slot = ring_at_[static_cast<std::size_t>(in.ring)];

  int64_t earliest = std::max({issue_[static_cast<std::size_t>(in.side)],
                               operands_ready(in, push_pipe), ring[slot]});
  const Transfer half{per_core(e).rows, bytes_of(dtype, per_core(e).cols), 1};
  int64_t time = 0;
  if (in.through_gm) {
    time = from_cube ? costs_.drain(e) : costs_.store_from_vec(half);
  } else {
    time = from_cube ? costs_.acc_to_vec(bytes) : costs_.vec_to_mat(bytes);
    earliest = std::max(earliest, destination_free(in.dst, in.rotates, push_pipe));
  }
  const int64_t pushed = occupy(in.side, in.pipe, earliest, time, in.op);
  Instruction reads = in;
  reads.dst = -1;
  finish(reads, pushed, 0, push_pipe);
  int64_t popped = pushed + seen;
  if (in.through_gm) {
    out_.gm_write += bytes;
    out_.gm_read += bytes;
    const int pop_pipe = pipe_id(to, Pipe::Mte2);
    issue(to);
    const auto& gm = costs_.timing().gm;
    const int64_t ready = std::max({popped, issue_[static_cast<std::size_t>(to)],
                                    destination_free(in.dst, in.rotates, pop_pipe)});
    const int64_t pop = from_cube ? costs_.load_to_vec(half) : costs_.load_to_mat({e.rows, bytes_of(dtype, e.cols), 1});
    popped = occupy(to, Pipe::Mte2, ready, pop, in.op);
    written(in.dst, in.rotates,
            popped + Costs::from_ns(from_cube ? gm.ub_latency_ns : gm.l1_latency_ns), pop_pipe);
  } else {
    written(in.dst, in.rotates, popped, push_pipe);
  }
  ring[slot] = popped + seen;
  slot = (slot + 1) % ring.size();
  end_ = std::max(end_, popped);
}

}  // namespace tilewright::sim
