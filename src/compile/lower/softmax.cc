// The softmax of a block of attention, as tile programs write it:
//
//   scaled = mul(scores, scale)          m = row_max(scaled)
//   e = cast(exp(row_expand_sub(scaled, m)), BF16)
//   l = row_sum(cast(e, FP32))
//
// one after the other, with nobody else reading what lies in between.
#include "tilewright/compile/lower/pattern.h"

namespace tilewright::compile {
namespace {

using ir::OpKind;

constexpr std::array kSoftmaxOps = {
    OpKind::Mul, OpKind::RowMax, OpKind::RowExpandSub, OpKind::Exp, OpKind::Cast, OpKind::Cast,
    OpKind::RowSum};

bool is_softmax(const Searched& in, const InstructionsOf<kSoftmaxOps>& found) {
  const auto& [scale, max, difference, power, narrow, widen, sum] = found;
  const bool types = scale->scalar && is_tile(in, scale->args[0], DType::F32) &&
                     is_tile(in, scale->dst, DType::F32) && is_tile(in, narrow->dst, DType::BF16) &&
                     narrow->cast_mode == ir::CastMode::Rint && is_tile(in, widen->dst, DType::F32);
  const bool flows = max->args[0] == scale->dst && difference->args[0] == scale->dst &&
                     difference->args[1] == max->dst && power->args[0] == difference->dst &&
                     narrow->args[0] == power->dst && widen->args[0] == narrow->dst &&
                     sum->args[0] == widen->dst;
  return types && flows && is_between(in, scale->dst, {max, difference}) &&
         is_between(in, difference->dst, {power}) && is_between(in, power->dst, {narrow}) &&
         is_between(in, widen->dst, {sum}) && is_own(in, max->dst) && is_own(in, narrow->dst) &&
         is_own(in, sum->dst);
}

}  // namespace

std::optional<Found> match_softmax(Nodes nodes, const Searched& in) {
  const auto found = instructions_of(nodes, in, kSoftmaxOps);
  if (!found || !is_softmax(in, *found)) return std::nullopt;
  const auto& [scale, max, difference, power, narrow, widen, sum] = *found;
  return Found{ir::SoftmaxGroup{.scale = scale.number,
                                .max = max.number,
                                .difference = difference.number,
                                .power = power.number,
                                .narrow = narrow.number,
                                .widen = widen.number,
                                .sum = sum.number},
               found->size()};
}

}  // namespace tilewright::compile
