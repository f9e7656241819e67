#include "tilewright/golden/bind.h"

#include <fmt/format.h>

#include "tilewright/golden/gm.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/program.h"

namespace tilewright::golden {
namespace {

void require_array(const ir::Program& program, const ir::Var& var, const HostArray* array) {
  if (array && array->dtype() == var.dtype && array->shape() == var.shape) return;
  const std::string bound =
      array ? ir::type_text(ir::ArrayType{array->dtype(), array->shape()}) : "nothing";
  user_error("bind",
             fmt::format("parameter {} {} bound to {}", var.name, ir::type_text(var), bound),
             fmt::format("program {}", program.name),
             "every array parameter must be bound to an array of its element type and shape",
             "bind an array of the declared type");
}

}  // namespace

void bind_params(const ir::Program& program, const ir::Bindings& bindings, Scalars& scalars) {
  for (std::size_t p = 0; p < program.params.size(); ++p) {
    const ir::Param& param = program.params[p];
    if (program[param.var].scalar) continue;
    HostArray* array = p < bindings.arrays.size() ? bindings.arrays[p] : nullptr;
    require_array(program, program[param.var], array);
    if (param.direction == ir::Direction::Out && param.filled)
      fill(*array, 0);
    else if (param.direction == ir::Direction::Out)
      array->fill_poison();
  }
  scalars.bind_params(bindings);
}

}  // namespace tilewright::golden
