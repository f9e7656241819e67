// Weights in panels: which parameters of a plan are only ever the right side of products, and the
// layout those products stream through.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/cpu/kernel_code.h"
#include "tilewright/cpu/pages.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::cpu {

// By parameter: how it is packed, or nothing. A weight is packed when it is BF16, every task sees
// all of it, and every kernel only multiplies with windows of it that start at a panel.
std::vector<std::optional<PackedArg>> choose_packing(const ir::Plan& plan,
                                                     const ir::TaskGraph& graph,
                                                     const std::vector<Aliases>& aliases);

// Elements of a packed weight of k x n numbers; the last panel is filled up with zeros.
int64_t packed_elements(const Shape& shape, const PackedArg& how);
// Panels [first, last) of `from` written to `to`; panels may be packed by several threads.
void pack_panels(const HostArray& from, const PackedArg& how, int64_t first, int64_t last,
                 uint16_t* to);
int64_t panel_count(const Shape& shape, const PackedArg& how);

}  // namespace tilewright::cpu
