// What each instruction of a replay costs: extents, transfers, pipes.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/sim/replay.h"

namespace tilewright::sim {

using namespace ir;

// ---- extents -----------------------------------------------------------------------------------

Extent Replay::extent(VarId v) const {
  return code_.has_valid ? extents_[v.index()] : extent_of(p_[v]);
}

Extent Replay::per_core(Extent e) const {
  if (code_.kernel->core != CoreKind::Mixed) return e;
  if (code_.kernel->split == Split::UpDown) e.rows = (e.rows + 1) / 2;
  if (code_.kernel->split == Split::LeftRight) e.cols = (e.cols + 1) / 2;
  return e;
}

Extent Replay::valid_extent(const Op& op) const {
  const Var& dst = p_[op.dst];
  Extent e = extent_of(dst);
  if (op.valid.empty()) return e;
  e.rows = 1;
  for (std::size_t i = 0; i < op.valid.size(); ++i) {
    // Unknown: device data decides, so all of it may be real.
    const int64_t v = evaluate(op.valid[i], env_).value_or(dst.shape[i]);
    (i + 1 == op.valid.size() ? e.cols : e.rows) = i + 1 == op.valid.size() ? v : e.rows * v;
  }
  return e;
}

// The real part of the result, where the operands' real parts decide it.
void Replay::set_extent(const Instruction& in) {
  const Op& op = *in.op;
  if (op.kind == OpKind::Store || op.kind == OpKind::Assemble || op.kind == OpKind::MatmulAcc) return;
  Extent& out = extents_[op.dst.index()];
  const auto arg = [&](std::size_t i) { return extents_[op.args[i].index()]; };
  const Extent whole = extent_of(p_[op.dst]);
  switch (op.kind) {
    case OpKind::Load:
    case OpKind::Slice:
    case OpKind::SetValid: out = valid_extent(op); return;
    case OpKind::Matmul:
    case OpKind::MatmulBias:
    case OpKind::Gemv:
      out = {op.a_trans ? arg(0).cols : arg(0).rows, op.b_trans ? arg(1).rows : arg(1).cols};
      return;
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin: out = {arg(0).rows, 1}; return;
    case OpKind::ColSum: out = {1, arg(0).cols}; return;
    case OpKind::Transpose: out = {arg(0).cols, arg(0).rows}; return;
    default: break;
  }
  out = whole;
  if (!op.args.empty() && op.kind != OpKind::FillPad && extent_of(p_[op.args[0]]) == whole) out = arg(0);
}

// ---- GM ----------------------------------------------------------------------------------------

Transfer Replay::transfer_of(const Instruction& in, Extent e) const {
  const TensorRef& ref = e_->args[static_cast<std::size_t>(in.arg)];
  const DType dtype = p_[in.op->kind == OpKind::Store ? in.op->dst : in.op->args[0]].dtype;
  const auto last = static_cast<std::size_t>(std::max(ref.rank - 1, 0));
  const bool adjacent =
      ref.rank < 2 || (e.cols == ref.shape[last] && ref.stride[last - 1] == ref.shape[last]);
  if (in.op->transpose) std::swap(e.rows, e.cols);
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
  const Extent whole = extent(in.op->dst);
  const Transfer all = transfer_of(in, whole);
  out_.gm_read += all.bytes();
  count_transfer(all);
  const int64_t hbm = costs_.hbm_cost(all);
  hbm_by_arg_[static_cast<std::size_t>(in.arg)] += hbm;
  const Transfer mine = cube ? all : transfer_of(in, per_core(whole));
  Cost c{cube ? costs_.load_to_mat(mine) : costs_.load_to_vec(mine),
         Costs::from_ns(cube ? gm.l1_latency_ns : gm.ub_latency_ns)};
  const bool from_l2 = in.arg < 64 && (e_->in_l2 >> in.arg & 1) != 0;
  if (!from_l2 && e_->ps_per_hbm_byte > 0)
    c.time = std::max(c.time, Costs::from_ns(cube ? gm.l1_issue_ns : gm.ub_issue_ns) +
                                  static_cast<int64_t>(std::llround(static_cast<double>(hbm) * e_->ps_per_hbm_byte)));
  return c;
}

Replay::Cost Replay::store_cost(const Instruction& in) {
  const Extent whole = extent(in.op->args[0]);
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
  const VarId source = in.op->args[0];
  // A slice moves only its window.
  const Extent e = extent(in.op->kind == OpKind::Assemble ? source : in.op->dst);
  const int64_t bytes = costs_.padded_bytes(e, p_[source].dtype);
  return {p_[in.op->dst].space == MemorySpace::Left ? costs_.to_left(bytes) : costs_.to_right(bytes), 0};
}

int64_t Replay::matmul_cost(const Instruction& in) {
  const Op& op = *in.op;
  const Extent a = extent(op.args[0]);
  const Extent b = extent(op.args[1]);
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
  const Op& op = *in.op;
  // A reduction works on what it reads; an insert on what it inserts.
  const bool on_source = in.vector == platform::VectorClass::RowReduce ||
                         in.vector == platform::VectorClass::ColReduce || op.kind == OpKind::Assemble;
  return costs_.vector(in.vector, per_core(extent(on_source ? op.args[0] : op.dst)), in.widest);
}

Replay::Cost Replay::cost(const Instruction& in) {
  switch (in.action) {
    case Action::Load: return load_cost(in);
    case Action::Store: return store_cost(in);
    case Action::Move: return move_cost(in);
    case Action::Matmul: return {matmul_cost(in), 0};
    case Action::Vector: return {vector_cost(in), 0};
    case Action::Drain: return {costs_.drain(extent(in.op->args[0])), 0};
    case Action::Cross:
    case Action::Rename: break;
  }
  bug("an instruction without a cost");
}

}  // namespace tilewright::sim
