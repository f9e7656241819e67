// Order inside one pipe. A pipe begins its instructions in program order, but on the device it may
// begin one before the last has ended; where two of them share bytes, a barrier stands between.
#pragma once

#include <map>
#include <set>

#include "tilewright/ir/lowered.h"

namespace tilewright::emit {

class Barriers {
 public:
  explicit Barriers(const ir::LoweredKernel& kernel) : k_(&kernel) {}

  // Whether a barrier of its pipe stands before this instruction; called in textual order.
  bool needed(int instruction);
  // A body that may run again, or not at all: what it leaves unfinished joins the rest.
  void leaves(const ir::LoweredBlock& body);
  void join(const Barriers& other);

 private:
  bool conflict(const ir::Instruction& a, const ir::Instruction& b) const;
  bool share(const ir::Operand& a, const ir::Operand& b) const;

  const ir::LoweredKernel* k_;
  std::map<int, std::set<int>> unfinished_;  // instructions by unit
};

}  // namespace tilewright::emit
