#include "tilewright/compile/l0/whole.h"

#include <algorithm>
#include <vector>

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

// Everything is whole until an op makes less of it, again and again as loops do. The rules are
// those of ir::result_extent, which keep a size a size and make something smaller of 0.
WholeValues::WholeValues(const Plan& plan, const Kernel& kernel) : p_(plan.program) {
  std::vector<const Op*> ops;
  const auto take = [&](const Op& op) { ops.push_back(&op); };
  for_each_op(plan.program.body, take);  // views of GM may be partly valid, too
  for_each_op(kernel.body, take);
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Op* op : ops) changed = narrow(*op) || changed;
  }
}

bool WholeValues::is_whole(VarId v, std::size_t dimension) const {
  return known(v)[dimension] == p_[v].shape[dimension];
}

Extent WholeValues::known(VarId v) const {
  const auto it = known_.find(v);
  return it == known_.end() ? full_extent(p_[v]) : it->second;
}

bool WholeValues::narrow(const Op& op) {
  const Shape& shape = p_[op.dst].shape;
  const Extent made = after(op);
  const Extent before = known(op.dst);
  Extent now = before;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (made[d] != shape[d]) now[d] = 0;
  if (now == before) return false;
  known_[op.dst] = now;
  return true;
}

Extent WholeValues::after(const Op& op) const {
  const ValidRule rule = op_info(op.kind).valid;
  if (rule == ValidRule::Unchanged) return known(op.dst);
  if (rule == ValidRule::Window) return window(op);
  std::vector<Extent> args;
  for (const VarId v : op.args) args.push_back(known(v));
  return result_extent(op, args, p_);
}

// Where a window begins is not known here, so it is whole where its source is.
Extent WholeValues::window(const Op& op) const {
  const Shape& shape = p_[op.dst].shape;
  Extent out = full_extent(p_[op.dst]);
  const Extent source = known(op.args[0]);
  const std::size_t dropped = op.offset.empty() ? 0 : op.offset.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t from = dropped + (op.transpose ? shape.size() - 1 - d : d);
    const bool whole = op.valid.empty() ? source[from] == p_[op.args[0]].shape[from]
                                        : op.valid[d] == Expr(shape[d]);
    if (!whole) out[d] = 0;
  }
  return out;
}

}  // namespace tilewright::compile
