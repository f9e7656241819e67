// Windows that the loops inside a loop take one after the other, the same in each of its
// iterations: the left operand of products for several blocks of columns. Together they are one
// panel.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// Loads such panels before the loop with this number, and takes the windows from them. The bytes of
// all panels; 0 if there are none. The loop keeps its number.
int64_t load_panels(ir::Program& p, int number);

}  // namespace tilewright::improve
