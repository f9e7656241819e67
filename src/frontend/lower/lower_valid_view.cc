// Tensors and views of which the author calls only a part valid. Memory has no valid shape, so the
// part is remembered here, and a scope that reads such a view takes that part of it.
#include <utility>

#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

void Lowering::take_valid_parts(Op& op, const Shape& shape, At at) {
  if (!in_scope() || in_.names_are_buffers) return;
  const auto valid_of = [&](ir::VarId v) {
    const auto it = is_tile(v) ? valid_.end() : valid_.find(v);
    return it != valid_.end() && it->second.size() == program_[v].shape.size() ? &it->second
                                                                               : nullptr;
  };
  if (op.kind == OpKind::Slice || op.kind == OpKind::Load) {
    const std::vector<ir::Expr>* valid = valid_of(op.args[0]);
    if (!valid || !op.valid.empty() || op.transpose || shape.size() != valid->size()) return;
    const Shape& whole = program_[op.args[0]].shape;
    for (std::size_t d = 0; d < valid->size(); ++d) {
      const bool all = (*valid)[d] == ir::Expr(whole[d]);
      const ir::Expr size(shape[d]);
      op.valid.push_back(all ? size : ir::min(size, (*valid)[d] - op.offset[d]));
    }
    return;
  }
  for (ir::VarId& v : op.args) {
    if (!valid_of(v)) continue;
    Op part;
    part.kind = OpKind::Slice;
    part.args = {v};
    part.offset.assign(program_[v].shape.size(), ir::Expr(0));
    v = emit(std::move(part), {program_[v].dtype, program_[v].shape}, {}, at).as<Tensor>()->var;
  }
}

}  // namespace tilewright::frontend
