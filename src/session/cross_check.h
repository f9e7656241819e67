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
  std::string difference;  // the first: "q_proj differs in task order 2"; empty if there is none
  // What golden counted, where every scope is a task: not where the compiler cuts scopes into tasks
  // itself, or copies between them.
  std::optional<int64_t> scopes;
};

// `before` are the arrays as the program found them, and stay so; those of the session are as the
// executor left them, which computes exp with `exp`.
CrossCheck cross_check(Session& session, catalog::Arrays& before, golden::Exp exp);

}  // namespace tilewright::session
