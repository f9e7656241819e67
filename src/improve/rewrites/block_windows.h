// Finds the loads of a loop that read adjacent blocks.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// A load whose window moves by its own extent along one dimension.
struct BlockLoad {
  std::size_t at = 0;  // in the loop's body
  std::size_t along = 0;
};

// Loads from GM tensors that the scope does not write, one block per iteration; the last block may
// be partly valid.
std::vector<BlockLoad> block_loads(const ir::Program& p, const ir::Scope& scope,
                                   const ir::For& loop);

// For a valid extent min(extent, rest - extent * var), which limits the last block: `rest - extent
// * var`.
std::optional<ir::Expr> rows_left(const ir::Expr& valid, int64_t extent, ir::VarId var);

}  // namespace tilewright::improve
