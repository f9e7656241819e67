// The parameters of a program that hold arrays.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::session {

// visit(const ir::Param&, const ir::Var&)
template <class F>
void for_each_array(const ir::Program& program, F&& visit) {
  for (const ir::Param& p : program.params)
    if (!program[p.var].scalar) visit(p, program[p.var]);
}

// visit(const ir::Var&) for outputs and state.
template <class F>
void for_each_output(const ir::Program& program, F&& visit) {
  for_each_array(program, [&](const ir::Param& p, const ir::Var& v) {
    if (p.direction != ir::Direction::In) visit(v);
  });
}

}  // namespace tilewright::session
