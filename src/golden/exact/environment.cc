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
  if (known.storage < 0) known = undefined(operand);
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

Location Environment::undefined(const ir::Operand& o) {
  const Location made = fresh(o);
  created_[made.value].assign(static_cast<std::size_t>(made.ref.elements()), false);
  return made;
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
    entry(*in.dst) = op.kind == ir::OpKind::Create ? undefined(*in.dst) : fresh(*in.dst);
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

namespace {

// Calls visit(element of the storage) for every element of the window.
template <class Visit>
void for_each_element(const Location& at, const Window& window, Visit visit) {
  const ir::TensorRef part = at.ref.window(window.offset.data(), window.extent);
  const int64_t step = part.stride[part.rank - 1];
  for_each_row<1>(window.extent, {part.stride}, [&](const auto& row) {
    for (int64_t k = 0; k < window.extent.back(); ++k)
      visit(static_cast<std::size_t>(part.base + row[0] + k * step));
  });
}

}  // namespace

void Environment::write(const Location& at, const Window& window) {
  const auto it = created_.find(at.value);
  if (it == created_.end()) return;
  for_each_element(at, window, [&](std::size_t e) { it->second[e] = true; });
}

bool Environment::written(const Location& at, const Window& window) const {
  const auto it = created_.find(at.value);
  if (it == created_.end()) return true;
  bool all = true;
  for_each_element(at, window, [&](std::size_t e) { all = all && it->second[e]; });
  return all;
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
