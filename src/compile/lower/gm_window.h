// The part of a GM argument that an instruction touches, and whether two of them can meet.
#pragma once

#include <compare>
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

// Loops of which two executions belong to different trips. None: all scalars have the same values
// in both. One for-loop: only its variable differs. More is not told apart, since nothing is known
// then, and the sets of loops that a kernel can cross are too many to follow.
struct Crossed {
  bool any = false;
  const ir::LoweredFor* only = nullptr;  // null: a while loop, or several loops

  void add(const ir::LoweredFor* loop) {
    only = !any || only == loop ? loop : nullptr;
    any = true;
  }
  auto operator<=>(const Crossed&) const = default;
};

// Whether the windows of two executions are known to have no element in common.
bool are_disjoint(const GmWindow& a, const GmWindow& b, const Crossed& crossed);

}  // namespace tilewright::compile
