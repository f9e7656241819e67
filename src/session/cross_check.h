// Checks a program that has no formula against itself: the program before any pass, and its tasks
// in random orders that the dependences allow, must give the same bits. A program that states its
// tasks must have as many tasks as it executes scopes.
#pragma once

#include <optional>
#include <string>

#include "tilewright/golden/exp.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

inline constexpr int kOrders = 3;  // random task orders that are tried

struct CrossCheck {
  // The first difference, such as "q_proj differs in task order 2"; empty when there is none.
  std::string difference;
  // The number of scopes that golden executed. Absent when scopes and tasks do not correspond,
  // because the compiler splits scopes into tasks or adds copies.
  std::optional<int64_t> scopes;
};

// `before` holds the arrays before the run and is not changed; the session holds them after the run
// of an executor that computes exp with `exp`.
CrossCheck cross_check(Session& session, catalog::Arrays& before, golden::Exp exp);

}  // namespace tilewright::session
