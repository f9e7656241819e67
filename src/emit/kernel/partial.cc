#include "tilewright/emit/kernel/partial.h"

#include <algorithm>

namespace tilewright::emit {

using namespace ir;

namespace {

bool makes_partial(const Instruction& in, const std::set<VarId>& partial) {
  const auto is = [&](std::size_t i) { return partial.contains(in.op.args[i]); };
  const bool any = std::ranges::any_of(in.op.args, [&](VarId v) { return partial.contains(v); });
  switch (op_info(in.op.kind).valid) {
    case ValidRule::Whole:
    case ValidRule::Unchanged: return false;
    case ValidRule::Window: return !in.op.valid.empty() || is(0);
    case ValidRule::AsSecond: return is(1);
    case ValidRule::AsFirst:
    case ValidRule::Reshaped:
    case ValidRule::OneColumn:
    case ValidRule::OneRow:
    case ValidRule::Swapped:
    case ValidRule::Halved: return is(0);
    case ValidRule::Broadcast:
    case ValidRule::Product:
    case ValidRule::Joined: return any;
  }
  return false;
}

}  // namespace

std::set<VarId> partial_tiles(const LoweredKernel& kernel) {
  std::set<VarId> partial;
  for (std::size_t before = 1; before != 0;) {
    before = partial.size();
    for (const Instruction& in : kernel.instructions)
      if (in.action != Action::Read && makes_partial(in, partial)) partial.insert(in.op.dst);
    if (partial.size() == before) break;
  }
  return partial;
}

}  // namespace tilewright::emit
