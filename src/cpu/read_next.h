// What a kernel reads from memory after a product, as far as it can be known before the product
// runs: while scores are made from K, V can be fetched already.
#pragma once

#include <optional>
#include <span>

#include "tilewright/cpu/aliases.h"

namespace tilewright::cpu {

// For the product statements[0] with rows of a cache: the statement that makes the next view of
// such rows, when making it before the product changes nothing.
std::optional<std::size_t> view_read_next(const ir::Program& program,
                                          std::span<const ir::Stmt> statements,
                                          const Aliases& aliases);

}  // namespace tilewright::cpu
