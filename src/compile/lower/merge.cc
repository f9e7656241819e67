// Two parts of an attention made one, as tile programs write it: maxima m, sums l and outputs o of
// the positions so far, and m', l', o' of a block,
//
//   m_new = maximum(m, m')    alpha = exp(sub(m, m_new))    beta = exp(sub(m', m_new))
//   l = add(mul(alpha, l), mul(beta, l'))
//   o = add(row_expand_mul(o, alpha), row_expand_mul(o', beta))    m = m_new
//
// one after the other, with nobody else reading what lies in between.
#include <algorithm>

#include "tilewright/compile/lower/pattern.h"

namespace tilewright::compile {
namespace {

using ir::OpKind;

constexpr std::array kMergeOps = {
    OpKind::Maximum, OpKind::Sub, OpKind::Exp, OpKind::Sub, OpKind::Exp, OpKind::Mul, OpKind::Mul,
    OpKind::Add, OpKind::RowExpandMul, OpKind::RowExpandMul, OpKind::Add, OpKind::Copy};

bool reads(const Matched& op, ir::VarId a, ir::VarId b) {
  return op->args.size() == 2 && op->args[0] == a && op->args[1] == b;
}

bool flows(const InstructionsOf<kMergeOps>& found) {
  const auto& [max, down, alpha, block_down, beta, old_sum, block_sum, sum, old_out, block_out, out,
               keep] = found;
  if (max->args.size() != 2 || block_sum->args.size() != 2) return false;
  const ir::VarId m = max->args[0];
  const ir::VarId block_m = max->args[1];
  return reads(down, m, max->dst) && alpha->args[0] == down->dst &&
         reads(block_down, block_m, max->dst) && beta->args[0] == block_down->dst &&
         reads(old_sum, alpha->dst, sum->dst) && block_sum->args[0] == beta->dst &&
         reads(sum, old_sum->dst, block_sum->dst) && reads(old_out, out->dst, alpha->dst) &&
         block_out->args[1] == beta->dst && reads(out, old_out->dst, block_out->dst) &&
         keep->args[0] == max->dst && keep->dst == m;
}

bool is_merge(const Searched& in, const InstructionsOf<kMergeOps>& found) {
  if (!flows(found)) return false;
  const auto& [max, down, alpha, block_down, beta, old_sum, block_sum, sum, old_out, block_out, out,
               keep] = found;
  const bool between =
      is_between(in, max->dst, {down, block_down, keep}) && is_between(in, down->dst, {alpha}) &&
      is_between(in, block_down->dst, {beta}) && is_between(in, alpha->dst, {old_sum, old_out}) &&
      is_between(in, beta->dst, {block_sum, block_out}) && is_between(in, old_sum->dst, {sum}) &&
      is_between(in, block_sum->dst, {sum}) && is_between(in, old_out->dst, {out}) &&
      is_between(in, block_out->dst, {out});
  const bool own = is_own(in, keep->dst) && is_own(in, sum->dst) && is_own(in, out->dst);
  const auto is_f32 = [&](ir::VarId v) { return is_tile(in, v, DType::F32); };
  return between && own && std::ranges::all_of(found, [&](const Matched& op) {
           return is_f32(op->dst) && std::ranges::all_of(op->args, is_f32);
         });
}

}  // namespace

std::optional<Found> match_merge(Nodes nodes, const Searched& in) {
  const auto found = instructions_of(nodes, in, kMergeOps);
  if (!found || !is_merge(in, *found)) return std::nullopt;
  const auto& [max, down, alpha, block_down, beta, old_sum, block_sum, sum, old_out, block_out, out,
               keep] = *found;
  return Found{ir::MergeGroup{.max = max.number,
                              .down = down.number,
                              .alpha = alpha.number,
                              .block_down = block_down.number,
                              .beta = beta.number,
                              .old_sum = old_sum.number,
                              .block_sum = block_sum.number,
                              .sum = sum.number,
                              .old_out = old_out.number,
                              .block_out = block_out.number,
                              .out = out.number,
                              .keep = keep.number},
               found->size()};
}

}  // namespace tilewright::compile
