// The blocks of a program in textual order, so that a block can be found again in a copy of the
// program.
#pragma once

#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct BlockSite {
  ir::Block* block = nullptr;
  bool in_scope = false;  // inside a scope; otherwise in the orchestration
};

// Valid until a statement is inserted, removed or moved.
std::vector<BlockSite> block_sites(ir::Program& p);

}  // namespace tilewright::improve
