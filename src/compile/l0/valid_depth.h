// How much of K a product has, where its operands are loaded partly valid: an expression of the
// program's scalars, so that blocks of k end where the valid part does.
#pragma once

#include <map>
#include <optional>

#include "tilewright/ir/plan.h"

namespace tilewright::compile {

class ValidDepth {
 public:
  explicit ValidDepth(const ir::Kernel& kernel);

  // `product` has its operands in Mat, `before` are the statements before it in its block. Nothing
  // if an operand is not loaded there, or if both do not name the same extent.
  std::optional<ir::Expr> of(const ir::Op& product, const ir::Block& before,
                             const ir::Program& program) const;

 private:
  bool is_made_once(ir::VarId v) const;

  std::map<ir::VarId, int> definitions_;  // of tiles and scalars, in the kernel
};

}  // namespace tilewright::compile
