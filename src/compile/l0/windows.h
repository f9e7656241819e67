// An accumulator that is too large for Acc, cut into windows: the statements that sum it up and
// drain it go into loops over the windows, loads of its operands are narrowed to them, and every
// window is stored to GM, or put into a tile in Mat, before the next begins.
#pragma once

#include <string>

#include "tilewright/compile/l0/operands.h"
#include "tilewright/compile/l0/write_product.h"

namespace tilewright::compile {

class OutputWindows {
 public:
  OutputWindows(ir::Plan& plan, ir::Kernel& kernel, ir::VarId accumulator, const InMat& in_mat,
                const WholeValues& whole);

  // Why it cannot be cut; empty: it can.
  const std::string& obstacle() const { return obstacle_; }
  // How many products are added up, as far as loops have constant bounds.
  int64_t trips() const { return trips_; }
  void cut(const L0Tile& tile, ProductWriter& writer, ir::UniqueNames& names);

 private:
  // Of a tile that is loaded for the accumulator: which of its dimensions are rows or columns of
  // the output.
  struct Role {
    bool rows = false;
    std::size_t dimension = 0;
    bool used = false;
  };

  void find(ir::Block& block);
  void inspect(const ir::Block& stretch);
  void inspect(const ir::Op& op);
  void inspect_product(const ir::Op& op);
  void inspect_operand(ir::VarId operand, bool rows, std::size_t dimension);
  bool drains(const ir::Op& op) const;
  void check_uses(const ir::Block& kernel, const ir::Block& stretch);
  void refuse(std::string why);

  ir::Block rewritten(ir::Block block, const Cut& rows, const Cut& columns, int64_t k,
                      ProductWriter& writer);
  void drain_window(ir::Op& op, const Cut& rows, const Cut& columns) const;
  void narrow(ir::Op& load, const Role& role, const Cut& cut) const;

  ir::Program& p_;
  ir::VarId accumulator_;
  const InMat& in_mat_;
  const WholeValues& whole_;
  std::string obstacle_;
  int64_t trips_ = 1;
  // The accumulator's stretch: statements begin_ to end_ - 1 of a block; the last one drains it.
  ir::Block* block_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  ir::VarId drained_;  // the GM tensor or the tile in Mat that takes it
  int drains_ = 0;
  std::map<ir::VarId, Role> made_;  // tiles loaded in the stretch
};

}  // namespace tilewright::compile
