#include "tilewright/cpu/bind/bind.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/infer.h"

namespace tilewright::cpu {

void require_array(const ir::Program& program, const ir::Var& var, const HostArray* array) {
  if (array && array->data() && array->dtype() == var.dtype && array->shape() == var.shape) return;
  const std::string bound = array && array->data()
                                ? ir::type_text(ir::ArrayType{array->dtype(), array->shape()})
                                : "nothing";
  user_error("bind",
             fmt::format("parameter {} {} bound to {}", var.name, ir::type_text(var), bound),
             fmt::format("program {}", program.name),
             "every array parameter must be bound to an array of its element type and shape",
             "bind an array of the declared type");
}

void require_memory(const ir::Program& program, const char* what, int64_t needed,
                    int64_t available) {
  if (needed <= available) return;
  user_error("bind-memory",
             fmt::format("{} need {} bytes, but {} are available", what, needed, available),
             fmt::format("program {}", program.name), "a run allocates all memory before it starts",
             "use a smaller shape, batch or context, or free memory");
}

}  // namespace tilewright::cpu
