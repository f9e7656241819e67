// Which GM variables may be the same memory: a slice or reshape in the orchestration is a view.
#pragma once

#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::compile {

class SharedMemory {
 public:
  explicit SharedMemory(const ir::Program& program);
  bool shared(ir::VarId a, ir::VarId b) const { return root(a) == root(b); }

 private:
  uint32_t root(ir::VarId v) const;
  std::vector<uint32_t> parent_;  // by variable
};

}  // namespace tilewright::compile
