// Without a formula a program can still be held against itself: its meaning before any pass, and
// its tasks in random orders that the dependences allow, must give the same bits.
#pragma once

#include <optional>
#include <string>

#include "tilewright/golden/exp.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

inline constexpr int kOrders = 3;  // random task orders that are tried

// `before` are the arrays as the program found them, and stay so; those of the session are as the
// executor left them, which computes exp with `exp`. Returns the first difference: "q_proj differs
// in task order 2".
std::optional<std::string> first_difference(Session& session, catalog::Arrays& before,
                                            golden::Exp exp);

}  // namespace tilewright::session
