// How the predictions of the measured programs follow the fitted numbers of a machine, and so which
// measurements decide which number.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/published/calibration.h"

namespace tilewright::published {

using Progress = std::function<void(double fraction)>;

struct Sensitivities {
  std::vector<platform::Fact> numbers;         // the fitted ones, as the machine has them
  std::vector<CalibrationRow> rows;            // predicted with them
  std::vector<std::vector<double>> by_number;  // [number][row]: d log(predicted) / d log(number)
};

// Central differences over a tenth to each side: a prediction follows a cost in small steps, since
// tasks start in another order, and a derivative would see only the step it stands on.
Sensitivities sensitivities(const Calibration& calibration, const platform::Platform& machine,
                            const Progress& progress = {});

// What a number rests on: each row's part of all that the measurements say about it.
struct Decided {
  std::string path;  // of the number
  std::vector<std::pair<int, double>> rows;  // of the table, with their shares; the largest first
  // Whole threads are left out, so a number is free when one thread holds nearly all of it; then a
  // prediction of the thread's row that holds most, by the other threads, means nothing. 0 = none.
  int alone = 0;
  std::string thread;  // that holds it, if the row by itself does not
};
std::vector<Decided> decided_by(const Sensitivities& s);

}  // namespace tilewright::published
