// Panels: the windows that an inner loop loads one after the other, when they are the same in each
// iteration of the outer loop. Typical for the left operand of products with several blocks of
// columns.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// Loads such panels before the loop with this number and slices the windows from them. Returns the
// bytes of all panels; 0 if there are none. The loop keeps its number.
int64_t load_panels(ir::Program& p, int number);

}  // namespace tilewright::improve
