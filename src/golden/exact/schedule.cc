#include "tilewright/golden/exact/schedule.h"

namespace tilewright::golden::exact {
namespace {

constexpr std::array<int64_t, 4> kAhead{1, 4, 32, 4096};
constexpr std::array<int64_t, 3> kWeights{0, 1, 100};

}  // namespace

Schedule::Schedule(std::optional<uint64_t> seed) : rng_(seed.value_or(0)) {
  weight_.fill(1);
  if (!seed) return;
  const auto any = [&](const auto& list) {
    return list[static_cast<std::size_t>(rng_.integer(0, std::ssize(list)))];
  };
  ahead_ = any(kAhead);
  if (rng_.integer(0, 3) == 0) return;  // even chances
  for (int64_t& w : weight_) w = any(kWeights);
}

int64_t Schedule::keep(int64_t queued) {
  if (queued <= ahead_) return queued;
  return ahead_ == 0 ? 0 : rng_.integer(0, ahead_);
}

int Schedule::choose(const std::vector<int>& ready) {
  int64_t total = 0;
  for (const int u : ready) total += weight_[static_cast<std::size_t>(u)];
  if (total == 0) return ready[static_cast<std::size_t>(rng_.integer(0, std::ssize(ready)))];
  int64_t at = rng_.integer(0, total);
  for (const int u : ready)
    if ((at -= weight_[static_cast<std::size_t>(u)]) < 0) return u;
  return ready.back();
}

}  // namespace tilewright::golden::exact
