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

// Whether uses of `from`, which statement `at` of the block writes once, may be replaced by `to`:
// all uses of `from` are in the block, and `to` does not change after `at`.
bool may_rename(const ir::Program& p, const ir::Block& block, std::size_t at, ir::VarId from,
                ir::VarId to);

}  // namespace tilewright::improve
