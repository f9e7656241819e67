#include "tilewright/compile/l0/whole.h"

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

WholeValues::WholeValues(const Plan& plan, const Kernel& kernel) : p_(plan.program) {
  const auto take = [&](const Op& op) { defs_[op.dst].push_back(op); };
  for_each_op(plan.program.body, take);  // views of GM may be partly valid, too
  for_each_op(kernel.body, take);
}

bool WholeValues::is_whole(VarId v, std::size_t dimension) const {
  Asked asked;
  return is_whole(v, dimension, asked);
}

bool WholeValues::is_whole(VarId v, std::size_t dimension, Asked& asked) const {
  if (!asked.emplace(v, dimension).second) return true;
  const auto it = defs_.find(v);
  if (it == defs_.end()) return true;  // a parameter, or what another kernel left in GM
  return std::ranges::all_of(it->second,
                             [&](const Op& op) { return makes_whole(op, dimension, asked); });
}

bool WholeValues::makes_whole(const Op& op, std::size_t dimension, Asked& asked) const {
  const std::size_t rank = p_[op.dst].shape.size();
  switch (op_info(op.kind).valid) {
    case ValidRule::Whole:
    case ValidRule::Unchanged: return true;
    case ValidRule::Window: {
      if (!op.valid.empty()) return op.valid[dimension] == Expr(p_[op.dst].shape[dimension]);
      if (op.offset.empty()) return is_whole(op.args[0], dimension, asked);
      const std::size_t dropped = op.offset.size() - rank;
      return is_whole(op.args[0], dropped + (op.transpose ? rank - 1 - dimension : dimension),
                      asked);
    }
    case ValidRule::AsFirst: return is_whole(op.args[0], dimension, asked);
    case ValidRule::Broadcast:
      return std::ranges::all_of(op.args, [&](VarId a) {
        return p_[a].shape.size() == rank && is_whole(a, dimension, asked);
      });
    case ValidRule::Product:
      if (rank != 2) return false;
      return dimension == 0 ? is_whole(op.args[0], op.a_trans ? 1 : 0, asked)
                            : is_whole(op.args[1], op.b_trans ? 0 : 1, asked);
    case ValidRule::AsSecond:
    case ValidRule::Reshaped:
    case ValidRule::OneColumn:
    case ValidRule::OneRow:
    case ValidRule::Swapped:
    case ValidRule::Joined:
    case ValidRule::Halved: break;
  }
  return false;
}

}  // namespace tilewright::compile
