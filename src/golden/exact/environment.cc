#include "tilewright/golden/exact/environment.h"

#include "tilewright/base/check.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden::exact {

Location& Environment::entry(const ir::Operand& o) {
  check(o.storage >= 0, "a value in GM has no place on chip");
  return storage(o).is_ring() ? rings_[o.storage] : vars_[o.var];
}

const Location& Environment::at(const ir::Operand& operand) {
  Location& known = entry(operand);
  if (known.storage < 0) known = fresh(operand);
  return known;
}

// A new value in the current copy of the operand's storage, dense and all valid.
Location Environment::fresh(const ir::Operand& o) {
  const ir::Var& var = program_[o.var];
  const ir::Storage& s = storage(o);
  return {o.storage,
          static_cast<int>(rotations(o.storage) % s.copies),
          stored_type(var.dtype, s.space),
          ir::TensorRef::whole({}, var.shape),
          ir::full_extent(var),
          ++values_};
}

ir::Extent Environment::valid_after(const ir::Instruction& in, const ir::Op& op) {
  std::vector<ir::Extent> args;
  for (const ir::Operand& o : in.src)
    args.push_back(o.storage >= 0 ? at(o).valid : ir::full_extent(program_[o.var]));
  // Nothing in the op depends on a scalar any more, and what it changes in place does not get here.
  return ir::valid_after(op, args, {}, program_, ir::ScalarEnv(0));
}

void Environment::name(const ir::Instruction& in, const ir::Op& op, const Shape& offset) {
  if (!in.view) {
    entry(*in.dst) = fresh(*in.dst);
    return;
  }
  Location view = at(in.src[0]);
  const Shape& shape = program_[in.dst->var].shape;
  if (in.view->reshaped)
    view.ref = view.ref.reshaped(shape);
  else if (!offset.empty())
    view.ref = view.ref.window(offset.data(), shape);
  view.valid = valid_after(in, op);
  entry(*in.dst) = view;
}

Location Environment::define(const ir::Instruction& in, const ir::Op& op) {
  const ir::Operand& o = *in.dst;
  if (in.rotates) ++rotations_[static_cast<std::size_t>(o.storage)];
  if (ir::updates_in_place(op.kind)) return at(o);
  const ir::Extent valid = valid_after(in, op);
  Location made = fresh(o);
  made.valid = valid;
  return entry(o) = made;
}

}  // namespace tilewright::golden::exact
