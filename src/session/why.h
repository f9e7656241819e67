// Explains a prediction: how much each mechanism contributes, and how sensitive the time is to
// each number of the machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/platform/platform.h"
#include "tilewright/report/binding.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// The total time if one number of the machine were a fifth higher, and a fifth lower.
struct HangsOn {
  platform::Fact number;
  double higher_us = 0, lower_us = 0;
};

struct Why {
  double total_us = 0;
  // One left out at a time: the kinds of cost of what_binds.h, then each cost of the runtime.
  std::vector<report::WhatIf> without;
  std::vector<HangsOn> hangs_on;  // numbers that move the time at all; the strongest first
};

inline constexpr double kWrongBy = 0.2;

// Of a session that is ready. Simulates its program about twice per number of the machine.
Why why(Session& session, const std::function<void(double fraction)>& progress = {});

}  // namespace tilewright::session
