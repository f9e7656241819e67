#include "tilewright/ir/accumulators.h"

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::ir {
namespace {

bool is_made_in_acc(const Op& op) {
  return op.kind == OpKind::Create && op.space == MemorySpace::Acc;
}

bool makes_tile(const Op& op) {
  return op.kind == OpKind::Load || op.kind == OpKind::Move ||
         (op.kind == OpKind::Create && op.space && !is_made_in_acc(op));
}

// What it writes is what it was before.
bool writes_into(const Op& op) { return op.kind == OpKind::Assemble || op.kind == OpKind::Store; }

}  // namespace

std::set<VarId> accumulators_of_tensors(const Block& body) {
  std::set<VarId> accumulators, tiles, of_tensors;
  for_each_op(body, [&](const Op& op) {
    const bool reads_tile =
        std::ranges::any_of(op.args, [&](VarId v) { return tiles.contains(v); });
    if (is_made_in_acc(op)) accumulators.insert(op.dst);
    if (makes_tile(op) || (reads_tile && !writes_into(op)))
      tiles.insert(op.dst);
    else if (op_family(op.kind) == OpFamily::Matmul && accumulators.contains(op.dst))
      of_tensors.insert(op.dst);
  });
  std::erase_if(of_tensors, [&](VarId v) { return tiles.contains(v); });
  return of_tensors;
}

}  // namespace tilewright::ir
