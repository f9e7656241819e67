#include "tilewright/compile/l0/valid_depth.h"

#include <algorithm>

#include "tilewright/compile/l0/operands.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

ValidDepth::ValidDepth(const Kernel& kernel) {
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    if (const auto* op = s.as<Op>()) ++definitions_[op->dst];
    if (const VarId v = scalar_defined(s); v.valid()) ++definitions_[v];
  });
}

// Defined once, or before the kernel: between two statements of a block it does not change.
bool ValidDepth::is_made_once(VarId v) const {
  const auto it = definitions_.find(v);
  return it == definitions_.end() || it->second == 1;
}

std::optional<Expr> ValidDepth::of(const Op& product, const Block& before,
                                   const Program& p) const {
  std::optional<Expr> depth;
  for (std::size_t i = 0; i < 2; ++i) {
    const VarId operand = product.args[i];
    const auto makes_it = [&](const Stmt& s) {
      const auto* op = s.as<Op>();
      return op && op->dst == operand;
    };
    const auto made = std::ranges::find_if(before, makes_it);
    if (made == before.end() || !is_made_once(operand)) return std::nullopt;
    const Op& load = *made->as<Op>();
    if (op_info(load.kind).valid != ValidRule::Window || load.valid.empty()) return std::nullopt;
    const Expr& valid = load.valid[k_dimension(product, i, p[operand].shape)];
    if (depth && !(*depth == valid)) return std::nullopt;
    depth = valid;
  }
  bool stable = true;
  depth->for_each_var([&](VarId v) { stable = stable && is_made_once(v); });
  return stable ? depth : std::nullopt;
}

}  // namespace tilewright::compile
