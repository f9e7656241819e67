// Names outside scopes that stand for one tensor and later for another: `h = layer(h)` in a loop.
// Such a name has a variable of its own, which is made to show each tensor in turn. Most names only
// ever stand for one tensor, and whether a name changes is seen when it does; then the program is
// lowered again from the start.
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {

bool Lowering::changes(std::string_view name) const {
  return !in_scope() && !in_.names_are_buffers &&
         in_.changing.contains({frame().function, std::string(name)});
}

// The results of a program are its parameters: they cannot become other tensors.
void Lowering::require_changing(std::string_view name) {
  const bool result = frames_.size() == 1 && frame().outputs.contains(name);
  if (in_scope() || in_.names_are_buffers || result || changes(name)) return;
  throw NameChanges{{frame().function, std::string(name)}};
}

// From here on `name` stands for `tensor`; its variable is `handle`, or a new one.
ir::VarId Lowering::stand_for(std::string_view name, std::optional<ir::VarId> handle,
                              ir::VarId tensor, At at) {
  if (!handle) {
    ir::Var v;
    v.name = names_.take(name);
    v.written = name;
    v.dtype = program_[tensor].dtype;
    v.shape = program_[tensor].shape;
    v.place = place(at);
    handle = new_var(std::move(v));
    handles_.insert(*handle);
  }
  ir::Op op;
  op.kind = ir::OpKind::Reshape;
  op.dst = *handle;
  op.args = {tensor};
  op.place = place(at);
  remember(op);
  append({std::move(op)});
  return *handle;
}

}  // namespace tilewright::frontend
