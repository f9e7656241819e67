#include "tilewright/golden/bind.h"
#include "tilewright/golden/golden.h"
#include "tilewright/golden/interpreter.h"
#include "tilewright/ir/program.h"

namespace tilewright::golden {

int64_t run_program(const ir::Program& program, const ir::Bindings& bindings, Exp exp,
                    ir::TaskReads* record) {
  for (const Diagnostic& d : program.diagnostics.list())
    if (d.severity == Severity::Error) throw ProgramError(d);
  Memory memory(program);
  Scalars scalars(program);
  bind_params(program, bindings, scalars);
  for (std::size_t p = 0; p < program.params.size(); ++p)
    if (!program[program.params[p].var].scalar)
      memory.bind(program.params[p].var, borrow(*bindings.arrays[p]));
  Interpreter interpreter(program, memory, scalars, exp);
  interpreter.run_orchestration(record);
  return interpreter.scopes();
}

}  // namespace tilewright::golden
