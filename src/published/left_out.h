// Cross-validation of the simulator: every published thread is predicted with numbers that were
// fitted to the other threads only.
#pragma once

#include <string>
#include <vector>

#include "tilewright/published/fit.h"

namespace tilewright::published {

struct LeftOutRow {
  CalibrationRow row;   // predicted without its thread
  std::string decides;  // the number that it decides, alone or first in its thread: not scored
  double error() const;  // relative, at least 0
  bool scored() const { return row.scored() && decides.empty(); }
};

// An improvement that was published: a quantity before and after it.
struct LeftOutPair {
  std::string what, before, quantity;
  bool of_kernel = false;
  double measured = 0, predicted = 0;  // before / after
  double error() const;
};

struct LeftOut {
  std::vector<LeftOutRow> rows;  // every row that is not a count
  std::vector<LeftOutPair> pairs;
  int64_t scored = 0;
  double median = 0, worst = 0, median_of_pairs = 0;  // errors
  // Four of five are nearer than this: programs, single kernels, improvements of programs.
  double program_spread = 0, kernel_spread = 0, ratio_spread = 0;
  double inside = 0;  // part of the scored rows that the machine's own intervals hold
};

LeftOut leave_threads_out(const Calibration& calibration, const platform::Platform& machine,
                          const Sensitivities& sensitivities, const Progress& progress = {});

std::string to_json(const Sensitivities& sensitivities, const LeftOut& left_out);

}  // namespace tilewright::published
