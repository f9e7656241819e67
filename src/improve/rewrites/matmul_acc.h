// Products that are added up outside the cube, in a loop of one scope.
#pragma once

#include <optional>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct AddedProducts {
  std::size_t product = 0, sum = 0;  // positions in the loop's body
  ir::VarId acc;
};
std::optional<AddedProducts> added_products(const ir::Program& p, const ir::For& loop);

bool is_zero_fill(const ir::Op& op);

// The fill with zeros before the loop goes; the first product starts the sum, and the cube adds the
// others to it. False when there is no such fill.
bool start_with_product(ir::Block& block, std::size_t loop_at, const AddedProducts& found);

}  // namespace tilewright::improve
