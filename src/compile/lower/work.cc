#include "tilewright/base/check.h"
#include "tilewright/compile/lower/lower.h"
#include "tilewright/compile/sides.h"

namespace tilewright::compile {

using namespace ir;

namespace {

// Between memories of one core: the accumulator drains, the cube core moves, the vector core
// copies.
Work transfer(const Op& op, const Program& p) {
  const MemorySpace from = p[op.args[0]].space.value_or(MemorySpace::Vec);
  if (from == MemorySpace::Acc) return {Action::Drain, CoreSide::Cube, Pipe::Fixpipe};
  if (is_cube_space(from)) return {Action::Move, CoreSide::Cube, Pipe::Mte1};
  return {Action::Vector, CoreSide::Vector, Pipe::Vector};
}

}  // namespace

Work work_of(const Op& op, const Program& p) {
  const Side where = side_of(op, p);
  check(where != Side::Both, "a value that changes sides is two instructions");
  const CoreSide side = where == Side::Cube ? CoreSide::Cube : CoreSide::Vector;
  const OpInfo& info = op_info(op.kind);
  if (op.kind == OpKind::Create) return {Action::Name, side, Pipe::Scalar};
  if (op.kind == OpKind::Load) return {Action::Load, side, Pipe::Mte2};
  if (op.kind == OpKind::Store)
    return {Action::Store, side, side == CoreSide::Cube ? Pipe::Fixpipe : Pipe::Mte3};
  if (info.on_cube) return {Action::Matmul, CoreSide::Cube, Pipe::Cube};
  // The cube clears its accumulator while it multiplies.
  if (op.kind == OpKind::Full && side == CoreSide::Cube)
    return {Action::Clear, CoreSide::Cube, Pipe::Cube};
  if (info.view != ViewKind::Never || op.kind == OpKind::Assemble) return transfer(op, p);
  return {Action::Vector, side, Pipe::Vector};
}

}  // namespace tilewright::compile
