// Values that stay on chip: a load of what the same task stored uses the tile instead, a tensor
// that only one task uses becomes a tile, equal loads become one, and results that are never read
// are removed.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// In one scope. Gives how many loads it replaced.
int forward_tiles(ir::Program& p, ir::Scope& scope);
int share_equal_loads(ir::Program& p, ir::Scope& scope);
// Loops of the scope with equal bounds become one where that is legal; gives how many went.
int join_inner_loops(ir::Program& p, ir::Scope& scope);
// A tensor of the orchestration that is used in one scope alone, window by window.
int keep_tensors_on_chip(ir::Program& p, ir::Scope& scope);

// Ops whose results nobody reads, tensors that nobody needs, loops and scopes that are empty then.
void remove_unused(ir::Program& p);

struct Tightened {
  int loops = 0;      // joined into another loop
  int forwarded = 0;  // loads from GM that were replaced by tiles
  int shared = 0;     // loads that duplicate another load of the scope
  int kept = 0;       // tensors that became tiles

  int stays_on_chip() const { return forwarded + kept; }
};
// Loops, tiles and loads of one scope, until nothing changes.
Tightened tighten(ir::Program& p, ir::Scope& scope);
// The same; also turns tensors into tiles and removes what is unused afterwards. Statements of the
// program move, so the scope is found again by a temporary name.
Tightened keep_on_chip(ir::Program& p, ir::Scope& scope);
inline constexpr const char* kMark = "(changing)";
ir::Scope* marked_scope(ir::Program& p);

}  // namespace tilewright::improve
