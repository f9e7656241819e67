#include "tilewright/golden/exact/instance.h"

namespace tilewright::golden::exact {
namespace {

std::vector<ir::Expr> constants(const std::vector<ir::Expr>& list, const Scalars& scalars,
                                const Site& site) {
  const Shape values = scalars.integers(list, site);
  return {values.begin(), values.end()};
}

ir::ScalarOperand constant(const ir::ScalarOperand& o, const Scalars& scalars, const Site& site) {
  const ScalarValue value = scalars.operand(o, site);
  ir::ScalarOperand out;
  out.kind = value.is_float ? ir::ScalarOperand::Kind::Literal : ir::ScalarOperand::Kind::Index;
  out.literal = value.real;
  out.index = value.integer;
  return out;
}

}  // namespace

ir::Op constant_op(const ir::Instruction& in, const Scalars& scalars, const Site& site) {
  ir::Op op = in.op;
  op.offset = constants(op.offset, scalars, site);
  op.valid = constants(op.valid, scalars, site);
  if (op.scalar) op.scalar = constant(*op.scalar, scalars, site);
  // Halves of a move through a ring have the ring in place of one of its ends.
  op.dst = in.dst->var;
  op.args.clear();
  for (const ir::Operand& o : in.src) op.args.push_back(o.var);
  return op;
}

}  // namespace tilewright::golden::exact
