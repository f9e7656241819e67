// Loads of blocks that lie one after the other: which loads of a loop they are.
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

// From GM that the scope does not write, with as many blocks as the loop has trips; the last may be
// partly valid.
std::vector<BlockLoad> block_loads(const ir::Program& p, const ir::Scope& scope,
                                   const ir::For& loop);

// min(extent, rest - extent * var): what is left of the last block. Gives `rest - extent * var`.
std::optional<ir::Expr> rows_left(const ir::Expr& valid, int64_t extent, ir::VarId var);

}  // namespace tilewright::improve
