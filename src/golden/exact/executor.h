// Executes one instance at its addresses: operands are read from bytes into tiles, golden's own
// function of the op computes, and the result goes back to bytes.
#pragma once

#include "tilewright/golden/exact/core.h"
#include "tilewright/golden/exact/findings.h"
#include "tilewright/golden/exact/instance.h"
#include "tilewright/golden/memory.h"

namespace tilewright::golden::exact {

class Executor {
 public:
  // The arguments of the task are bound in `memory`.
  Executor(const ir::Program& program, const ir::Kernel& kernel, Memory& memory, Findings& findings)
      : program_(program),
        kernel_(kernel),
        memory_(memory),
        findings_(findings),
        core_(kernel.lowered),
        no_scalars_(program) {}

  void execute(const Instance& instance);
  // One element of an array in GM or, if `at` says where, on chip.
  ScalarValue element(int instruction, const std::optional<Location>& at, const Shape& index,
                      bool written);

  Site site(const Place& place, std::string_view what) const {
    return {&program_, kernel_.name, &place, what};
  }

 private:
  // Elements that program order leaves undefined are poison; of all others the value is expected.
  enum class Undefined { IsFinding, IsPoison };

  const ir::Instruction& instruction(int id) const {
    return kernel_.lowered.instructions[static_cast<std::size_t>(id)];
  }
  Tile empty(ir::VarId v, const Location& at) const;
  void read(int instruction, const Location& at, const Window& window, Undefined undefined,
            Tile& tile);
  Tile old_dst(const Instance& instance);

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  Memory& memory_;
  Findings& findings_;
  Core core_;
  Scalars no_scalars_;  // instances have constants
};

}  // namespace tilewright::golden::exact
