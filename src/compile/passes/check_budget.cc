#include <fmt/format.h>

#include <set>

#include "tilewright/compile/passes/passes.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

void check_budget(const Plan& plan, const Budget& budget, PassContext& context) {
  const Program& p = plan.program;
  for (const Kernel& k : plan.kernels) {
    std::set<VarId> told;
    for_each_op(k.body, [&](const Op& op) {
      const auto look = [&](VarId v) {
        const Var& var = p[v];
        if (!var.space || *var.space == MemorySpace::GM) return;
        const bool operand_of_cube =
            *var.space == MemorySpace::Left || *var.space == MemorySpace::Right;
        const bool of_vector = *var.space == MemorySpace::Vec;
        const auto& limit = operand_of_cube ? budget.cube : budget.vector;
        if ((!operand_of_cube && !of_vector) || !limit || var.bytes() <= *limit) return;
        if (!told.insert(v).second) return;
        context.report(p, op.place, k.name, written_text(op, p),
                       {.code = "budget",
                        .what = fmt::format("{} operand {} {} takes {} bytes, but the budget is {}",
                                            of_vector ? "vector" : "cube", var.written_name(), type_text(var),
                                            var.bytes(), *limit),
                        .law = "with an operand budget, every vector operand, vector result and "
                               "cube operand must stay within its limit",
                        .help = "use a smaller tile, or raise the budget"});
      };
      for (VarId v : op.args) look(v);
      look(op.dst);
    });
  }
}

}  // namespace tilewright::compile
