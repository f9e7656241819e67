#include "tilewright/report/interval.h"

#include <fmt/format.h>

namespace tilewright::report {

Interval interval_around(double value, double less, double more) {
  return {value / (1 + less), value * (1 + more)};
}

std::string interval_text(const Interval& us) {
  const int digits = us.high < 10 ? 2 : us.high < 100 ? 1 : 0;
  return fmt::format("{:.{}f} to {:.{}f} us", us.low, digits, us.high, digits);
}

std::string ratio_text(const Interval& ratio) {
  const int digits = ratio.high < 10 ? 2 : ratio.high < 100 ? 1 : 0;
  return fmt::format("{:.{}f} to {:.{}f}", ratio.low, digits, ratio.high, digits);
}

}  // namespace tilewright::report
