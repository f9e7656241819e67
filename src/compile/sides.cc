#include "tilewright/compile/sides.h"

#include "tilewright/ir/program.h"

namespace tilewright::compile {

using namespace ir;

Side side_of(const Op& op, const Program& p) {
  const auto in_cube = [&](VarId v) { return p[v].space && is_cube_space(*p[v].space); };
  if (op.kind == OpKind::Move && in_cube(op.args[0]) != in_cube(op.dst)) return Side::Both;
  // The core whose memory the op writes does it; a store writes GM, which is nobody's.
  return in_cube(op.kind == OpKind::Store ? op.args[0] : op.dst) ? Side::Cube : Side::Vector;
}

}  // namespace tilewright::compile
