// The search for the numbers of a machine that are fitted to the published measurements.
#pragma once

#include <string>
#include <vector>

#include "tilewright/published/sensitivity.h"

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

// Least squares by damped Gauss-Newton steps, each judged by a simulation of the rows. The result
// is a function of its input.
Fit fit(const Calibration& calibration, const platform::Platform& machine, uint64_t rounds,
        const Progress& progress = {});

// One round, from sensitivities that are known. Rows of the thread `left_out` do not count.
Fit fit_step(const Calibration& calibration, const platform::Platform& machine,
             const Sensitivities& sensitivities, const std::string& left_out);

}  // namespace tilewright::published
