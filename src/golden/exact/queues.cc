#include "tilewright/golden/exact/queues.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::golden::exact {

void Queues::push(int unit, Instance instance) {
  units_[static_cast<std::size_t>(unit)].push_back(std::move(instance));
  run_down_to(schedule_.keep(++queued_));
}

bool Queues::all_done(std::span<const int> instances) const {
  return std::ranges::all_of(instances, [&](int n) {
    const auto i = static_cast<std::size_t>(n);
    return i < done_.size() && done_[i];
  });
}

void Queues::mark_done(int number) {
  const auto i = static_cast<std::size_t>(number);
  if (i >= done_.size()) done_.resize(i + 1);
  done_[i] = true;
}

void Queues::run_one() {
  std::vector<int> ready;
  for (int u = 0; u < ir::kUnits; ++u) {
    const auto& queue = units_[static_cast<std::size_t>(u)];
    if (!queue.empty() && all_done(queue.front().waits)) ready.push_back(u);
  }
  // Waits are for earlier instances, so the earliest that is not done can always go on.
  check(!ready.empty(), "units wait for each other");
  auto& queue = units_[static_cast<std::size_t>(schedule_.choose(ready))];
  const Instance next = std::move(queue.front());
  queue.pop_front();
  --queued_;
  executor_.execute(next);
  mark_done(next.number);
}

void Queues::run_down_to(int64_t left) {
  while (queued_ > left) run_one();
}

void Queues::run_until_done(std::span<const int> instances) {
  while (!all_done(instances)) run_one();
}

}  // namespace tilewright::golden::exact
