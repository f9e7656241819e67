// The order in which the tasks of a graph are run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden {

// Submission order; or, with a seed, a random order in which every task follows its predecessors.
std::vector<ir::TaskId> task_order(const ir::TaskGraph& graph, std::optional<uint64_t> seed);

// A random order that a runtime may choose which knows only `order`.
std::vector<ir::TaskId> task_order(const ir::RuntimeGraph& order, uint64_t seed);

}  // namespace tilewright::golden
