// Places in a program that a changed copy of it has, too: the blocks of statements in textual
// order.
#pragma once

#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct BlockSite {
  ir::Block* block = nullptr;
  bool in_scope = false;  // of a scope: its tasks, else the orchestration
};

// Valid until a statement is inserted, removed or moved.
std::vector<BlockSite> block_sites(ir::Program& p);

}  // namespace tilewright::improve
