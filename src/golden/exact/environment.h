// What is known when an instruction is issued: where the elements of every variable lie from now
// on, and which copy of a storage is the current one.
#pragma once

#include <map>
#include <vector>

#include "tilewright/golden/exact/location.h"

namespace tilewright::golden::exact {

class Environment {
 public:
  Environment(const ir::Program& program, const ir::LoweredKernel& code)
      : program_(program), code_(code), rotations_(code.storage.size(), 0) {}

  // Where an on-chip operand lies; of a ring: what was pushed last. A variable that nothing has
  // made yet has its own storage, all valid.
  const Location& at(const ir::Operand& operand);

  // An instruction that only names its destination. `op` and `offset` are constant.
  void name(const ir::Instruction& in, const ir::Op& op, const Shape& offset);
  // Where any other instruction writes: a new value, or what it changes in place.
  Location define(const ir::Instruction& in, const ir::Op& op);

  // Elements of a tile that its kernel only creates are undefined until they are written. These two are
  // told in program order what is written, and asked what has been.
  void write(const Location& at, const Window& window);
  bool written(const Location& at, const Window& window) const;

  // How often the storage has turned to its next copy.
  int64_t rotations(int storage) const { return rotations_[static_cast<std::size_t>(storage)]; }

 private:
  const ir::Storage& storage(const ir::Operand& o) const {
    return code_.storage[static_cast<std::size_t>(o.storage)];
  }
  Location& entry(const ir::Operand& o);
  Location fresh(const ir::Operand& o);
  Location undefined(const ir::Operand& o);  // fresh, with no element written
  ir::Extent valid_after(const ir::Instruction& in, const ir::Op& op);

  const ir::Program& program_;
  const ir::LoweredKernel& code_;
  std::vector<int64_t> rotations_;  // by storage
  std::map<ir::VarId, Location> vars_;
  std::map<int, Location> rings_;  // by storage
  int values_ = 0;                 // made so far
  std::map<int, std::vector<bool>> created_;  // by value: which elements are written
};

}  // namespace tilewright::golden::exact
