// The functions that a plan's kernels become, in the order of their numbers: the runtime calls a
// kernel by number.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/plan.h"

namespace tilewright::emit {

struct Function {
  ir::KernelId kernel;
  ir::CoreSide side = ir::CoreSide::Vector;
  std::string name;  // of the kernel, and of its side if it has two
  std::string path;  // "kernels/aiv/silu.cpp"

  const char* core_type() const { return side == ir::CoreSide::Cube ? "aic" : "aiv"; }
};

std::vector<Function> functions(const ir::Plan& plan);

}  // namespace tilewright::emit
