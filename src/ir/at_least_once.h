// Whether a loop certainly makes a trip.
#pragma once

#include "tilewright/ir/expr.h"

namespace tilewright::ir {

// Of a for loop, lowered or not.
template <class Loop>
bool at_least_once(const Loop& f) {
  const Expr trips = f.step > 0 ? f.stop - f.start : f.start - f.stop;
  return trips.is_constant() && trips.constant() > 0;
}

}  // namespace tilewright::ir
