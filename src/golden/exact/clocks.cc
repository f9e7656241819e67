#include "tilewright/golden/exact/clocks.h"

#include <algorithm>

namespace tilewright::golden::exact {

int Clocks::add(int unit, std::span<const int> waits) {
  Instance next;
  next.unit = unit;
  const auto after = [&](int earlier) {
    if (earlier < 0) return;
    const auto& seen = instances_[index(earlier)].seen;
    std::ranges::transform(next.seen, seen, next.seen.begin(),
                           [](uint32_t a, uint32_t b) { return std::max(a, b); });
  };
  int& last = last_[static_cast<std::size_t>(unit)];
  after(last);
  after(held_by_);
  for (const int w : waits) after(w);
  ++next.seen[static_cast<std::size_t>(unit)];
  last = count();
  instances_.push_back(next);
  return last;
}

}  // namespace tilewright::golden::exact
