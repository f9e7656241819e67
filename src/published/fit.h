// The search for the numbers of a machine that are fitted to the published measurements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/published/calibration.h"

namespace tilewright::published {

struct FittedNumber {
  std::string path;  // "timing.gm.l1_latency_ns"
  double was = 0, is = 0;
};

struct Fit {
  platform::Platform machine;
  double misfit = 0;
  std::vector<FittedNumber> numbers;
};

// One number after the other, in steps that shrink when a round finds nothing better.
Fit fit(const Calibration& calibration, platform::Platform machine, uint64_t rounds,
        const std::function<void(double fraction)>& progress = {});

}  // namespace tilewright::published
