// Which elements of a result are undefined because an element of an operand is. Reading undefined
// elements alone is not an error; this file defines how far each op propagates them. Arrays are
// seen as rows x cols, as in region.h.
#pragma once

#include <functional>

#include "tilewright/ir/forward.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/region.h"

namespace tilewright::ir {

// Calls `visit` with rectangles of the result that hold every element which depends on some element
// of the rectangle `from` of operand `arg`. Not for ops whose windows depend on offsets: slice,
// load, assemble and store move elements to where they lie.
void for_each_spoiled(const Op& op, std::size_t arg, const Rect& from, const Program& program,
                      const std::function<void(const Rect&)>& visit);

// Operands whose undefined elements cannot be carried along as values: they choose an address, or
// may stop the program.
bool must_be_defined(const Op& op, std::size_t arg, const Program& program);

}  // namespace tilewright::ir
