// The part of a GM argument that an instruction touches, and whether two of them can meet.
#pragma once

#include <vector>

#include "tilewright/compile/shared_memory.h"
#include "tilewright/ir/plan.h"

namespace tilewright::compile {

struct GmWindow {
  ir::VarId array;
  std::vector<ir::Expr> offset;  // per dimension of the array
  Shape extent;
};

GmWindow gm_window(const ir::Instruction& in, const ir::Program& program);

// Loops of which two executions belong to different trips, null for a while loop. Empty: all
// scalars have the same values in both.
using Crossed = std::vector<const ir::LoweredFor*>;

// Whether the windows of two executions are known to have no element in common.
bool are_disjoint(const GmWindow& a, const GmWindow& b, const Crossed& crossed);

}  // namespace tilewright::compile
