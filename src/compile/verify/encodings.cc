#include <fmt/format.h>

#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/program.h"

namespace tilewright::compile {

void verify_encodings(const ir::Program& program, PassContext& context) {
  if (!context.platform.device) return;
  for (const ir::Param& param : program.params) {
    const ir::Var& v = program[param.var];
    if (!is_encoded(v.dtype)) continue;
    context.report(program, v.place, "", fmt::format("parameter {}", v.written_name()),
                   {.code = "encoded-device",
                    .what = fmt::format("parameter {} {} on {}", v.written_name(), ir::type_text(v),
                                        context.platform.name),
                    .law = fmt::format("{} weights are multiplied on the CPU only",
                                       dtype_name(v.dtype)),
                    .help = "use -p cpu, or an INT8 weight with a scale for each column"});
  }
}

}  // namespace tilewright::compile
