// Tiles of which the last is only partly valid: min(T, n - i * T), in a loop of ceil(n / T)
// iterations.
#pragma once

#include "tilewright/improve/rewrites/loop_body.h"

namespace tilewright::improve {

// min(extent, rest), where the rest shrinks by the extent from iteration to iteration or, apart
// from the loop, is anything.
bool is_ragged(const ir::Expr& valid, int64_t extent);
// The same of a tile so many times as large. A valid shape that is a number grows with it.
ir::Expr widened_valid(const ir::Expr& valid, int64_t extent, int64_t factor);

// ceil(e / divisor), as simple as possible.
ir::Expr ceil_divided(const ir::Expr& e, int64_t divisor);

}  // namespace tilewright::improve
