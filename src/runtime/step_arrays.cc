#include "tilewright/runtime/step_arrays.h"

#include <string>

#include "tilewright/base/check.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"

namespace tilewright::runtime {

std::size_t parameter_index(const ir::Program& program, std::string_view name) {
  for (std::size_t p = 0; p < program.params.size(); ++p)
    if (program[program.params[p].var].name == name) return p;
  bug("the step has no parameter " + std::string(name));
}

HostArray& StepArrays::make(std::string_view name) {
  const ir::Program& program = session_->program();
  const std::size_t p = parameter_index(program, name);
  const ir::Var& v = program[program.params[p].var];
  arrays_.push_back(std::make_unique<HostArray>(v.dtype, v.shape));
  session_->bindings().arrays[p] = arrays_.back().get();
  return *arrays_.back();
}

}  // namespace tilewright::runtime
