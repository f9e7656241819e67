// Scopes that do nothing but write constants.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

bool only_fills(const ir::Block& body);

// Removes the n-th scope of the block and loops that become empty. False if there is no such scope.
bool remove_scope(ir::Block& block, int n);

// Removes the scopes that only write constants to the tensor. False if there are none.
bool remove_fills_of(ir::Program& p, ir::VarId tensor);

}  // namespace tilewright::improve
