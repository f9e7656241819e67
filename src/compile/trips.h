// How often a loop runs its body, where its text says so.
#pragma once

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

// The iterations of a for loop, lowered or not. Below 0 stands for none.
template <class Loop>
ir::Expr trip_count(const Loop& f) {
  using ir::Expr;
  return f.step > 0 ? floor_div(f.stop - f.start + Expr(f.step - 1), Expr(f.step))
                    : floor_div(f.start - f.stop + Expr(-f.step - 1), Expr(-f.step));
}

// Whether it certainly makes a trip.
template <class Loop>
bool at_least_once(const Loop& f) {
  const ir::Expr trips = f.step > 0 ? f.stop - f.start : f.start - f.stop;
  return trips.is_constant() && trips.constant() > 0;
}

// A break or continue of the loop with this body or of one inside it.
inline bool leaves_early(const ir::Block& body) {
  bool found = false;
  ir::for_each_stmt(body, [&](const ir::Stmt& s) {
    found = found || s.as<ir::Break>() || s.as<ir::Continue>();
  });
  return found;
}

}  // namespace tilewright::compile
