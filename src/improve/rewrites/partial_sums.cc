#include "tilewright/improve/rewrites/partial_sums.h"

#include <algorithm>

#include "tilewright/improve/rewrites/tile_dims.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// How the op joins two values.
Fold joins_by(const Op& op) {
  if (op.args.size() != 2) return Fold::None;
  if (op.kind == OpKind::Add) return Fold::Sum;
  if (op.kind == OpKind::Maximum) return Fold::Max;
  if (op.kind == OpKind::Minimum) return Fold::Min;
  return Fold::None;
}

class PartsCheck {
 public:
  PartsCheck(const Program& p, const LoopBody& body, const FirstIteration& first,
             const Growth& growth)
      : program_(p), body_(body), first_(first), growth_(growth) {
    for (const auto& [v, dim] : growth) touched_.insert(v);
  }

  bool run() {
    for (int pass = 0; pass < 2; ++pass)  // once more for what is carried around
      for (const BodyOp& b : body_.ops()) touch(*b.op);
    for (const BodyOp& b : body_.ops()) {
      const bool starts = b.first || first_.ops.contains(b.op);
      if (!step(*b.op, starts) || counts_iterations(*b.op, starts)) return false;
      if (b.guarded && stores_growth(*b.op)) return false;
    }
    return std::ranges::none_of(parts_,
                                [&](const auto& part) { return body_.used_outside(part.first); });
  }

 private:
  void touch(const Op& op) {
    if (std::ranges::any_of(op.args, [&](VarId v) { return touched_.contains(v); }))
      touched_.insert(op.dst);
  }

  // Whether the op stores a growing tile into a window.
  bool stores_growth(const Op& op) const {
    return op_info(op.kind).type == TypeRule::Insert && growth_.contains(op.args.front());
  }

  // Whether the op changes a carried value by something that does not grow, so that its result
  // depends on the number of iterations.
  bool counts_iterations(const Op& op, bool starts) const {
    const bool changes = reads_dst(op) || body_.carried(op.dst);
    return changes && !starts && op_info(op.kind).type != TypeRule::Declared &&
           (op_info(op.kind).type != TypeRule::Insert || op.atomic_add) &&
           std::ranges::none_of(op.args, [&](VarId v) { return touched_.contains(v); });
  }

  Fold part(VarId v) const {
    const auto it = parts_.find(v);
    return it == parts_.end() ? Fold::None : it->second;
  }

  bool step(const Op& op, bool starts) {
    const DimRules rules = dim_rules(program_, op);
    const bool folds = std::ranges::any_of(rules.folded, [&](const TileDim& d) {
      const auto it = growth_.find(d.var);
      return it != growth_.end() && it->second == d.dim;
    });
    const bool carried = body_.carried(op.dst);
    if (folds) {
      if (carried) return starts || op.kind == OpKind::MatmulAcc;
      return become(op.dst, rules.fold);
    }
    Fold of = Fold::None;
    for (VarId v : op.args)
      if (part(v) == Fold::Sum || (part(v) != Fold::None && !joined_maximum(v))) of = part(v);
    if (of == Fold::None) return op.kind != OpKind::MatmulAcc || part(op.dst) == Fold::None;
    if (starts && carried) return true;
    return hands_on(op, of, carried);
  }

  // Whether the value is a block maximum that is joined with the running maximum, as in online
  // softmax. The rest of the body rescales what depends on it; the comparison of values verifies
  // the result.
  bool joined_maximum(VarId v) const {
    return std::ranges::any_of(body_.ops(), [&](const BodyOp& b) {
      const auto& args = b.op->args;
      return joins_by(*b.op) == part(v) && std::ranges::find(args, v) != args.end() &&
             std::ranges::any_of(args, [&](VarId other) { return body_.made_of_carried(other); });
    });
  }

  // Whether the op scales all elements of a partial result by one factor.
  bool is_scaled(const Op& op) const {
    if (op.kind == OpKind::Mul && op.args.size() == 1) return true;
    const bool product = op.kind == OpKind::Mul || op.kind == OpKind::RowExpandMul;
    return product &&
           std::ranges::count_if(op.args, [&](VarId v) { return part(v) == Fold::Sum; }) == 1 &&
           std::ranges::none_of(op.args, [&](VarId v) { return growth_.contains(v); });
  }

  // An op with a part among its operands.
  bool hands_on(const Op& op, Fold of, bool carried) {
    const auto joined = [&](VarId v) { return part(v) == of || body_.made_of_carried(v); };
    if (joins_by(op) == of && std::ranges::all_of(op.args, joined)) {
      const bool all_parts = std::ranges::all_of(op.args, [&](VarId v) { return part(v) == of; });
      return !all_parts || (!carried && become(op.dst, of));
    }
    if (op_info(op.kind).type == TypeRule::Insert) return op.atomic_add && of == Fold::Sum;
    const bool same = op_info(op.kind).type == TypeRule::AsOperand || op.kind == OpKind::Reshape;
    return (same || (of == Fold::Sum && is_scaled(op))) && !carried && become(op.dst, of);
  }

  bool become(VarId v, Fold fold) { return parts_.try_emplace(v, fold).first->second == fold; }

  const Program& program_;
  const LoopBody& body_;
  const FirstIteration& first_;
  const Growth& growth_;
  std::set<VarId> touched_;
  std::map<VarId, Fold> parts_;
};

}  // namespace

bool parts_are_only_joined(const Program& p, const LoopBody& body, const FirstIteration& first,
                           const Growth& growth) {
  return PartsCheck(p, body, first, growth).run();
}

}  // namespace tilewright::improve
