// What binds a prediction: the program predicted again, one kind of cost left out at a time.
#pragma once

#include <vector>

#include "tilewright/report/binding.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// HBM, cube, vector, latency, dispatch, dependences; in this order.
std::vector<report::WhatIf> what_ifs(Session& session);

}  // namespace tilewright::session
