// The variables of a kernel while it is lowered: which are arguments, which are views, and where
// the tiles of the others lie.
#pragma once

#include "tilewright/cpu/lower/kernel_code.h"

namespace tilewright::cpu {

class KernelOperands {
 public:
  // Tiles and the sizes that ops ask for are noted in `code`.
  KernelOperands(const ir::Program& program, const ir::Kernel& kernel, const ir::Uses& uses,
                 const std::vector<PackedArg>& packed, KernelCode& code);

  const Operand& operator[](ir::VarId v) const { return operands_[v.index()]; }
  int64_t longest_row() const { return longest_row_; }
  OpContext context(const ir::Op& op) const;
  // One more tile.
  Operand temporary(const Operand& like);

 private:
  void place_tiles(const ir::Uses& uses);
  void place(Operand& o);

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  KernelCode& code_;
  std::vector<Operand> operands_;        // by variable
  std::vector<std::size_t> packed_row_;  // by variable: of a packed weight, the dimension that is k
  int64_t longest_row_ = 1;
};

}  // namespace tilewright::cpu
