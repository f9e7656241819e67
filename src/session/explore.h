// Shows whether a race changes results: the tasks run in random orders that a runtime may choose
// under its rules, and the outputs are compared bit for bit with those of program order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tilewright/base/array.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::session {

// The first output that came out different, and where.
struct Difference {
  uint64_t order_seed = 0;
  std::string output;
  int64_t elements = 0;  // that differ
  int64_t total = 0;
  int64_t first_index = 0;
  Shape shape;
  double in_order = 0, in_this_order = 0;
  std::string stopped;  // the error that stopped the run; then there is no output
};

struct Exploration {
  std::string rules;
  uint64_t orders = 0;
  uint64_t different = 0;
  std::optional<Difference> first;
};

// `bindings` hold the inputs; state and outputs are left as they were.
Exploration explore(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::RuntimeGraph& order,
                    const ir::Bindings& bindings, uint64_t orders,
                    const std::function<void(double fraction)>& progress = {});

}  // namespace tilewright::session
