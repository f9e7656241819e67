#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {

void verify_types(const ir::Program& program, PassContext& context) {
  ir::for_each_op(program.body, [&](const ir::Op& op) {
    const ir::Var& dst = program[op.dst];
    const auto report = [&](const ir::TypeError& e) {
      context.report(program, op.place, "", ir::written_text(op, program),
                     {.code = e.code, .what = e.what, .law = e.law, .help = e.help});
    };
    const ir::TypeResult result = ir::infer(op, {dst.dtype, dst.shape}, program);
    if (const auto* e = std::get_if<ir::TypeError>(&result)) return report(*e);
    if (context.platform.device)
      if (const auto e = ir::refused_by_devices(op, program)) return report(*e);
    const auto& type = std::get<ir::ArrayType>(result);
    if (type.dtype != dst.dtype || type.shape != dst.shape)
      context.report(program, op.place, "", ir::written_text(op, program),
                     {.code = "assign",
                      .what = "value of type " + ir::type_text(type) + " written to " +
                              dst.written_name() + " " + ir::type_text(dst),
                      .law = "the element type and shape of a buffer never change",
                      .help = "cast or reshape the value"});
  });
}

}  // namespace tilewright::compile
