#include "tilewright/compile/shared_memory.h"

#include <numeric>

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

SharedMemory::SharedMemory(const Program& p) : parent_(p.vars.size()) {
  std::iota(parent_.begin(), parent_.end(), 0U);
  for_each_op(p.body, [&](const Op& op) {
    if (op_info(op.kind).view != ViewKind::Never) parent_[root(op.dst)] = root(op.args[0]);
  });
}

uint32_t SharedMemory::root(VarId v) const {
  uint32_t at = v.value;
  while (parent_[at] != at) at = parent_[at];
  return at;
}

}  // namespace tilewright::compile
