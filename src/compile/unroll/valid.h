// Whether the valid regions of an op's operands fit together. What the result's valid region is
// then follows from ir/valid_extent.h.
#pragma once

#include <span>
#include <string>

#include "tilewright/ir/valid_extent.h"

namespace tilewright::compile {

using ir::Extent;

// Whether nothing is valid: then nothing is read, computed or written.
bool is_empty(const ir::Extent& e, std::size_t rank);
// Whether an op adds or compares along a dimension that has no valid element: its result is
// undefined.
bool is_over_nothing(const ir::Op& op, std::span<const ir::Extent> args, const ir::Program& p);
std::string extent_text(const Extent& e, std::size_t rank);

// A sentence that says what disagrees, or nothing. Not for slice, load, set_validshape, assemble and
// store, whose rules need offsets.
struct Disagreement {
  std::string text = {};   // empty = none
  bool needs_all = false;  // the problem is one operand that is not whole
};
Disagreement disagreement(const ir::Op& op, std::span<const Extent> args,
                          const ir::Program& program);

}  // namespace tilewright::compile
