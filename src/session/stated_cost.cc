#include "tilewright/session/stated_cost.h"

#include "tilewright/compile/unroll/stated_order.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/session/predict.h"

namespace tilewright::session {

void add_stated_cost(TimedRun& run) {
  if (!run.record) return;
  Session& s = *run.session;
  const auto superfluous = compile::superfluous_edges(*s.graph());
  if (superfluous.empty()) return;
  const ir::RuntimeGraph needed =
      compile::order_tasks(*s.plan(), *s.graph(), s.rules(), compile::Stated::Needed);
  const ir::RunRecord without =
      sim::simulate(*s.plan(), *s.graph(), needed, s.machine(), simulation_options(s));
  run.stated = StatedCost{static_cast<int64_t>(superfluous.size()),
                          static_cast<double>(without.total()) / 1e6};
}

}  // namespace tilewright::session
