#include "tilewright/sim/bandwidth.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::sim {
namespace {

constexpr double kSlowest = 1e9;  // ps per byte: nothing real is slower

}  // namespace

void Bandwidth::change(uint32_t profile, int64_t cost, int by) {
  if (cost == 0) return;
  known_ = false;
  const auto same = std::ranges::find_if(
      groups_, [&](const Group& g) { return g.profile == profile && g.cost == cost; });
  if (same == groups_.end()) {
    check(by > 0, "a task stops reading before it started");
    groups_.push_back({profile, cost, by});
    return;
  }
  same->count += by;
  if (same->count == 0) groups_.erase(same);
}

double Bandwidth::demand(double ps_per_byte) {
  double sum = 0;
  for (const Group& g : groups_)
    sum += static_cast<double>(g.count) * static_cast<double>(g.cost) /
           profiles_.duration(g.profile, ps_per_byte);
  return sum;
}

double Bandwidth::share() {
  if (known_) return share_;
  known_ = true;
  share_ = 0;
  if (demand(0) <= bytes_per_ps_) return share_;
  double low = 0;
  double high = 1;
  while (demand(high) > bytes_per_ps_ && high < kSlowest) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 20; ++i) {  // bisection to a millionth, far below the accuracy of the model
    const double middle = (low + high) / 2;
    (demand(middle) > bytes_per_ps_ ? low : high) = middle;
  }
  share_ = high;
  return share_;
}

}  // namespace tilewright::sim
