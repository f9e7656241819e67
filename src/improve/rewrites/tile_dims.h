// Relations between tile dimensions: when one tile of an op grows in a dimension, which others must
// grow with it, and how the result changes.
#pragma once

#include <compare>
#include <utility>
#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct TileDim {
  ir::VarId var;
  std::size_t dim = 0;
};

// How the elements of a reduced dimension are combined.
enum class Fold : uint8_t { None, Sum, Max, Min };

struct DimRules {
  std::vector<std::pair<TileDim, TileDim>> together;  // both grow or neither does
  std::vector<std::pair<TileDim, TileDim>> leads;     // if the first grows, so does the second
  std::vector<TileDim> fixed;                         // must stay as it is
  std::vector<TileDim> folded;                        // may grow: the result is of more elements
  Fold fold = Fold::None;
};

// Of every op except those that move windows; what these do depends on their offsets.
DimRules dim_rules(const ir::Program& p, const ir::Op& op);

// Slice, load, assemble, store: a small array that corresponds to a window of a large one.
struct WindowOp {
  ir::VarId large, small;
  std::size_t dropped = 0;  // leading dimensions of the large one that the small one lacks
  bool swapped = false;     // a transposed load

  // The dimension of the small one, if it has it.
  std::optional<std::size_t> small_dim(std::size_t large_dim) const;
};
std::optional<WindowOp> window_op(const ir::Program& p, const ir::Op& op);

}  // namespace tilewright::improve
