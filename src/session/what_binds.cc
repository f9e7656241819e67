#include "tilewright/session/what_binds.h"

#include <algorithm>

#include "tilewright/session/predict.h"
#include "tilewright/sim/sim.h"

namespace tilewright::session {
namespace {

// Every submission is ready as soon as it is known. The values would be wrong; the time is what
// cores, memory and runtime need when nothing waits for data.
ir::RuntimeGraph unordered(ir::RuntimeGraph order) {
  order.preds.clear();
  std::ranges::fill(order.pred_begin, 0u);
  return order;
}

}  // namespace

std::vector<report::WhatIf> what_ifs(Session& session) {
  const platform::Platform& machine = session.machine();
  std::vector<report::WhatIf> out;
  const auto without = [&](const char* ideal, const char* name, const char* left_out) {
    out.push_back({name, left_out, predicted_us(session, platform::idealised(machine, ideal))});
  };
  without("hbm", "HBM", "the limit of HBM");
  without("cube", "cube", "the cubes' time");
  without("vector", "vector", "the vector units' time");
  without("latency", "latency", "the latency of memory");
  without("runtime", "dispatch", "the runtime's own time");

  const auto free = sim::simulate(*session.plan(), *session.graph(), unordered(session.order()),
                                  machine, simulation_options(session));
  out.push_back({"dependences", "waiting for other tasks' data", static_cast<double>(free.total()) / 1e6});
  return out;
}

}  // namespace tilewright::session
