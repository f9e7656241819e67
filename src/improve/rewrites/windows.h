// Windows of tensors: what slice and load read and assemble and store write, and whether different
// iterations of a loop touch different parts.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/improve/rewrites/sites.h"

namespace tilewright::improve {

struct Window {
  ir::VarId tensor;
  std::vector<ir::Expr> offset;
  Shape extent;
  bool write = false;
};

bool reads_window(const ir::Op& op);   // slice, load
bool writes_window(const ir::Op& op);  // assemble, store
// Of an op that reads or writes one.
Window window_of(const ir::Op& op, const ir::Program& p);

// How an expression depends on one variable: coefficient * var + rest; nothing when it is not so.
struct Linear {
  int64_t coefficient = 0;
  ir::Expr rest;
};
std::optional<Linear> linear_in(const ir::Expr& e, ir::VarId var);

// Whether the windows of different iterations of `var` (stepping by `step`) never overlap.
bool apart_by(const std::vector<Window>& windows, ir::VarId var, int64_t step);

// The smallest window around all of them, when they differ by constants.
std::optional<Window> span_of(const std::vector<Window>& windows);

// Every access of `tensor` in the block; nothing when it is touched in any other way.
std::optional<std::vector<Window>> windows_of(const ir::Block& block, ir::VarId tensor,
                                              const ir::Program& p);

}  // namespace tilewright::improve
