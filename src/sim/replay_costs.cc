// What each instruction of a replay costs: extents, transfers, pipes.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/sim/replay.h"

namespace tilewright::sim {

using namespace ir;

namespace {

// The argument that a load reads or a store writes.
int gm_arg(const Instruction& in) {
  return in.action == Action::Store ? in.dst->arg : in.src[0].arg;
}

}  // namespace

// ---- extents -----------------------------------------------------------------------------------

RowsCols Replay::extent(VarId v) const {
  return has_valid_ ? rows_cols(extents_[v.index()], p_[v].shape.size()) : rows_cols(p_[v].shape);
}

void Replay::set_extent(const Op& op) {
  std::array<Extent, 3> args{};  // no op has more operands
  for (std::size_t i = 0; i < op.args.size(); ++i) args[i] = extents_[op.args[i].index()];
  Extent& dst = extents_[op.dst.index()];
  dst = valid_after(op, {args.data(), op.args.size()}, dst, p_, env_);
}

RowsCols Replay::per_core(RowsCols e) const {
  if (kernel_.core != CoreKind::Mixed) return e;
  if (kernel_.split == Split::UpDown) e.rows = (e.rows + 1) / 2;
  if (kernel_.split == Split::LeftRight) e.cols = (e.cols + 1) / 2;
  return e;
}

// ---- GM ----------------------------------------------------------------------------------------

Transfer Replay::transfer_of(const Instruction& in, RowsCols e) const {
  const TensorRef& ref = e_->args[static_cast<std::size_t>(gm_arg(in))];
  const DType dtype = p_[in.action == Action::Store ? in.op.dst : in.op.args[0]].dtype;
  const auto last = static_cast<std::size_t>(std::max(ref.rank - 1, 0));
  const bool adjacent =
      ref.rank < 2 || (e.cols == ref.shape[last] && ref.stride[last - 1] == ref.shape[last]);
  if (in.op.transpose) std::swap(e.rows, e.cols);
  Transfer t{e.rows, bytes_of(dtype, e.cols), adjacent ? 1 : e.rows};
  // A vector core copies adjacent rows as one; the cube's memory is filled row by row.
  if (adjacent && in.side == CoreSide::Vector) t = {1, t.bytes(), 1};
  return t;
}

void Replay::count_transfer(const Transfer& t) {
  const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(t.row_bytes, 1))) - 1);
  out_.transfers[std::min(bin, kTransferBins - 1)] += t.rows;
}

Replay::Cost Replay::load_cost(const Instruction& in) {
  const bool cube = in.side == CoreSide::Cube;
  const auto& gm = costs_.timing().gm;
  const RowsCols whole = extent(in.op.dst);
  const Transfer all = transfer_of(in, whole);
  out_.gm_read += all.bytes();
  count_transfer(all);
  const int64_t hbm_bytes = costs_.hbm_cost(all);
  const int arg = gm_arg(in);
  hbm_by_arg_[static_cast<std::size_t>(arg)] += hbm_bytes;
  const Transfer mine = cube ? all : transfer_of(in, per_core(whole));
  Cost c{cube ? costs_.load_to_mat(mine) : costs_.load_to_vec(mine),
         Costs::from_ns(cube ? gm.l1_latency_ns : gm.ub_latency_ns)};
  const bool from_l2 = arg < 64 && (e_->in_l2 >> arg & 1) != 0;
  const auto& hbm = costs_.timing().memory;
  if (!from_l2)
    c.latency += Costs::from_ns(hbm.hbm_latency_ns + (all.runs > 1 ? hbm.hbm_apart_ns : 0));
  if (!from_l2 && e_->ps_per_hbm_byte > 0)
    c.time = std::max(c.time, Costs::from_ns(cube ? gm.l1_issue_ns : gm.ub_issue_ns) +
                                  static_cast<int64_t>(std::llround(static_cast<double>(hbm_bytes) * e_->ps_per_hbm_byte)));
  return c;
}

Replay::Cost Replay::store_cost(const Instruction& in) {
  const RowsCols whole = extent(in.op.args[0]);
  const Transfer all = transfer_of(in, whole);
  out_.gm_write += all.bytes();
  count_transfer(all);
  if (in.side == CoreSide::Cube)
    return {costs_.drain(whole), Costs::from_ns(costs_.timing().fixpipe.latency_ns)};
  return {costs_.store_from_vec(transfer_of(in, per_core(whole))),
          Costs::from_ns(costs_.timing().gm.store_latency_ns)};
}

// ---- on chip -----------------------------------------------------------------------------------

Replay::Cost Replay::move_cost(const Instruction& in) const {
  const VarId source = in.op.args[0];
  // A slice moves only its window.
  const RowsCols e = extent(in.op.kind == OpKind::Assemble ? source : in.op.dst);
  const int64_t bytes = costs_.padded_bytes(e, p_[source].dtype);
  return {p_[in.op.dst].space == MemorySpace::Left ? costs_.to_left(bytes) : costs_.to_right(bytes), 0};
}

int64_t Replay::matmul_cost(const Instruction& in) {
  const Op& op = in.op;
  const RowsCols a = extent(op.args[0]);
  const RowsCols b = extent(op.args[1]);
  const int64_t m = op.a_trans ? a.cols : a.rows;
  const int64_t k = op.a_trans ? a.rows : a.cols;
  const int64_t n = op.b_trans ? b.rows : b.cols;
  const int64_t f = costs_.fractal_rows();
  out_.mac_rows += (m + f - 1) / f * f;
  out_.mac_rows_used += m;
  out_.macs += m * k * n;
  out_.mac_time += costs_.least_matmul(m * k * n, p_[op.args[0]].dtype);
  return costs_.matmul(m, k, n, p_[op.args[0]].dtype);
}

int64_t Replay::vector_cost(const Instruction& in) const {
  const Op& op = in.op;
  const OpInfo& info = op_info(op.kind);
  // A reduction works on what it reads; an insert on what it inserts.
  const bool on_source = info.family == OpFamily::Reduce || op.kind == OpKind::Assemble;
  int widest = 8;  // bits of the largest element it touches
  for (const Operand& o : in.src) widest = std::max(widest, bits(p_[o.var].dtype));
  widest = std::max(widest, bits(p_[in.dst->var].dtype));
  return costs_.vector(op.scalar ? info.scalar_cost : info.cost,
                       per_core(extent(on_source ? op.args[0] : op.dst)), widest);
}

// ---- between the sides -------------------------------------------------------------------------

Transfer Replay::handed_over(const Instruction& in, RowsCols e) const {
  return {e.rows, bytes_of(p_[in.op.args[0]].dtype, e.cols), 1};
}

Replay::Cost Replay::push_cost(const Instruction& in) {
  const bool from_cube = in.side == CoreSide::Cube;
  const RowsCols e = extent(in.op.args[0]);
  const int64_t bytes = handed_over(in, e).bytes();
  if (!storage(in.dst->storage).is_ring())
    return {from_cube ? costs_.acc_to_vec(bytes) : costs_.vec_to_mat(bytes), seen_};
  out_.gm_write += bytes;
  return {from_cube ? costs_.drain(e) : costs_.store_from_vec(handed_over(in, per_core(e))), 0};
}

Replay::Cost Replay::pop_cost(const Instruction& in) {
  const RowsCols e = extent(in.op.args[0]);
  const auto& gm = costs_.timing().gm;
  out_.gm_read += handed_over(in, e).bytes();
  if (in.side == CoreSide::Cube)
    return {costs_.load_to_mat(handed_over(in, e)), Costs::from_ns(gm.l1_latency_ns)};
  return {costs_.load_to_vec(handed_over(in, per_core(e))), Costs::from_ns(gm.ub_latency_ns)};
}

Replay::Cost Replay::cost(const Instruction& in) {
  switch (in.action) {
    case Action::Load: return load_cost(in);
    case Action::Store: return store_cost(in);
    case Action::Move: return move_cost(in);
    case Action::Matmul: return {matmul_cost(in), 0};
    case Action::Clear: return {};
    case Action::Vector: return {vector_cost(in), 0};
    case Action::Drain: return {costs_.drain(extent(in.op.args[0])), 0};
    case Action::Push: return push_cost(in);
    case Action::Pop: return pop_cost(in);
    case Action::Name:
    case Action::Read: break;
  }
  bug("an instruction without a cost");
}

}  // namespace tilewright::sim
