#include "tilewright/session/misses.h"

#include <algorithm>
#include <cmath>

namespace tilewright::session {
namespace {

struct Time {
  const char* name;
  double report::Figures::*value;
  bool of_scheduler;
};

constexpr Time kTimes[] = {{"exec", &report::Figures::exec_us, false},
                           {"latency", &report::Figures::latency_us, true}};

}  // namespace

std::vector<Miss> misses(const report::Profile& measured, const report::Profile& predicted,
                         bool has_latency) {
  // The interval that holds 80 % of the measurements around a prediction.
  const double within = 1 + predicted.kernel_spread;
  std::vector<Miss> out;
  for (const report::Stage& m : measured.stages) {
    const auto p = std::ranges::find(predicted.stages, m.kernel, &report::Stage::kernel);
    if (p == predicted.stages.end()) continue;
    for (const Time& t : kTimes) {
      if (t.of_scheduler && !has_latency) continue;
      const double is = m.*t.value, says = (*p).*t.value;
      if (is <= 0 || says <= 0 || std::max(is / says, says / is) <= within) continue;
      out.push_back({m.name, t.name, is, says, (says - is) * static_cast<double>(m.tasks)});
    }
  }
  std::ranges::stable_sort(out, std::greater<>(),
                           [](const Miss& m) { return std::abs(m.core_us); });
  return out;
}

}  // namespace tilewright::session
