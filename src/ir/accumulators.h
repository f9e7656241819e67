// How the dialect makes an accumulator. A name there stands for a tensor, which slice and
// create_tensor give, or for a tile, which load, move and create_tile give, and never changes from
// one to the other. A product of tensors is a tensor, so what it is added up in is made as one;
// that it stands in Acc follows from the product.
#pragma once

#include <set>

#include "tilewright/ir/ids.h"
#include "tilewright/ir/statements.h"

namespace tilewright::ir {

// What `body` makes in Acc and writes with products of tensors.
std::set<VarId> accumulators_of_tensors(const Block& body);

}  // namespace tilewright::ir
