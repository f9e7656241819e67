#include "tilewright/compile/lower/lower.h"

#include "tilewright/compile/lower/groups.h"
#include "tilewright/compile/passes/passes.h"

namespace tilewright::compile {

void lower(ir::Plan& plan, PassContext& context) {
  const SharedMemory shared(plan.program);
  for (ir::Kernel& k : plan.kernels) {
    make_instructions(plan.program, k, context.platform);
    if (context.platform.device) {
      find_waits(plan.program, shared, k);
      drop_implied_waits(k.lowered);
    } else {  // one thread runs all of a task, and instructions can become one step
      find_groups(plan.program, k, k.lowered);
    }
  }
}

}  // namespace tilewright::compile
