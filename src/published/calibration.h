// The measured programs predicted: how near the simulator comes to what was published.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/published/measurements.h"
#include "tilewright/session/session.h"

namespace tilewright::published {

// One measurement beside its prediction.
struct CalibrationRow {
  int row = 0;  // of the calibration table
  std::string thread;  // that published it
  std::string what, quantity;
  double predicted = 0, measured = 0, limit = 0;
  bool of_kernel = false;  // not of the whole program
  bool near = false;       // inside the limit
  bool known_gap = false;  // outside, and known to be
  std::string before;      // `what` of the program that this one improves; empty = of none

  // Numbers are fitted to it and the simulator is judged by it; a count of tasks is not predicted.
  bool scored() const { return limit > 0; }
};

bool passed(const std::vector<CalibrationRow>& rows);  // all are near

// Compiled once: a variation of the machine's times leaves the programs as they are.
class Calibration {
 public:
  // UserError when a measured program does not compile for the machine of the request.
  explicit Calibration(const session::Request& request);

  // In the order of the cases, whatever the machine; on all threads of this CPU.
  std::vector<CalibrationRow> rows(const platform::Platform& machine) const;

 private:
  std::vector<CalibrationRow> rows_of(std::size_t i, const platform::Platform& machine) const;

  std::vector<MeasuredCase> cases_;
  std::vector<std::unique_ptr<session::Session>> sessions_;  // one per case
};

}  // namespace tilewright::published
