// Which parameters of a plan are packed: weights that are only ever the right side of products.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/cpu/lower/kernel_code.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::cpu {

// By parameter: how it is packed, or nothing. A weight is packed when it is BF16, FP16, INT8 or
// encoded, every task sees all of it, and every kernel only multiplies with windows of it that start
// at a panel; in groups of k also only with whole groups, or all of them. `uses` has one entry per
// kernel. `panels`: how the instruction set wants BF16 that is multiplied with BF16.
std::vector<std::optional<PackedArg>> choose_packing(const ir::Plan& plan,
                                                     const ir::TaskGraph& graph,
                                                     const std::vector<ir::Uses>& uses,
                                                     simd::Panels panels);

}  // namespace tilewright::cpu
