// A sum that a loop of one task keeps in GM, kept in a tile instead.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// sum = slice(t, o); new = add(sum, x); t = assemble(t, new, o), with o the same in every
// iteration.
struct GmSum {
  std::size_t load = 0, add = 0, store = 0;  // positions in the block
  ir::VarId tensor;
};
// In a block that is executed once per value of `var`.
std::optional<GmSum> gm_sum_in(const ir::Program& p, const ir::Block& block, ir::VarId var);

// Whether all that is written to the tensor beside the sum are zeros.
bool starts_from_zeros(const ir::Program& p, ir::VarId tensor);
void drop_zero_fills(ir::Program& p, ir::VarId tensor);

// The loop at `at` of the block sums up in a tile, which starts from zeros or from what GM has and
// is stored once. Products are added by the cube.
bool sum_on_chip(ir::Program& p, ir::Block& block, std::size_t at);

}  // namespace tilewright::improve
