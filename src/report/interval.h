// The interval of a predicted number: four in five measurements lie inside.
#pragma once

#include <string>

namespace tilewright::report {

struct Interval {
  double low = 0, high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};

// `less` and `more` are parts of the value: 0.1 is a tenth.
Interval interval_around(double value, double less, double more);

std::string interval_text(const Interval& us);  // "1150 to 1370 us", with as many digits as it deserves
std::string ratio_text(const Interval& ratio);  // "1.05 to 1.21"

}  // namespace tilewright::report
