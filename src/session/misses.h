// Which kernels a prediction misses, and in which direction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/report/profile.h"

namespace tilewright::session {

// A time of a kernel whose prediction lies outside the interval that the machine states for
// kernels.
struct Miss {
  std::string kernel, time;                  // "exec", "latency"
  double measured_us = 0, predicted_us = 0;  // means over tasks
  double core_us = 0;                        // predicted - measured, of all tasks together

  double off() const { return predicted_us / measured_us - 1; }  // above 0: predicted too long
};

// The largest first. Stages are of the same plan.
std::vector<Miss> misses(const report::Profile& measured, const report::Profile& predicted,
                         bool has_latency);

}  // namespace tilewright::session
