// Who uses an array, in a block or in the whole program.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct UseCount {
  int reads = 0, writes = 0;
};
UseCount count_uses(const ir::Block& block, ir::VarId v);
UseCount count_uses(const ir::Stmt& s, ir::VarId v);
// In statements first and later of the block.
UseCount count_uses_from(const ir::Block& block, std::size_t first, ir::VarId v);

void rename_array(ir::Block& block, ir::VarId from, ir::VarId to);

// The value of `from`, written once by statement `at` of the block, is that of `to` wherever it is
// used: nobody uses it elsewhere, and `to` keeps its value from there on.
bool may_rename(const ir::Program& p, const ir::Block& block, std::size_t at, ir::VarId from,
                ir::VarId to);

}  // namespace tilewright::improve
