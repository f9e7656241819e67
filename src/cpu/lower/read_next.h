// Prefetch: what a kernel reads from memory after a product, as far as this is known before the
// product runs. While scores are computed from K, V can already be fetched.
#pragma once

#include <optional>
#include <span>

#include "tilewright/ir/uses.h"

namespace tilewright::cpu {

// For the product nodes[0] with rows of a cache: the instruction that makes the next view of such
// rows, when making it before the product changes nothing.
std::optional<int> view_read_next(const ir::Program& program, const ir::LoweredKernel& kernel,
                                  const ir::Uses& uses, std::span<const ir::LoweredNode> nodes);

}  // namespace tilewright::cpu
