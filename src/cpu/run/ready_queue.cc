#include "tilewright/cpu/run/ready_queue.h"

#include <utility>

#include "tilewright/cpu/run/pool.h"

namespace tilewright::cpu {

void ReadyQueue::resize(std::size_t tasks) {
  places_ = std::make_unique<std::atomic<int32_t>[]>(tasks);
  count_ = tasks;
  ready_.reserve(tasks);
}

void ReadyQueue::reset(std::optional<uint64_t> seed) {
  for (std::size_t i = 0; i < count_; ++i) places_[i].store(kEmpty, std::memory_order_relaxed);
  head_ = 0;
  tail_ = 0;
  stopped_ = false;
  ready_.clear();
  rng_.reset();
  if (seed) rng_.emplace(*seed);
}

void ReadyQueue::push(uint32_t task) {
  if (rng_) {
    const std::lock_guard lock(mutex_);
    ready_.push_back(task);
    return;
  }
  places_[tail_.fetch_add(1, std::memory_order_relaxed)].store(static_cast<int32_t>(task),
                                                               std::memory_order_release);
}

std::optional<uint32_t> ReadyQueue::take() {
  const std::size_t number = head_.fetch_add(1, std::memory_order_relaxed);
  if (number >= count_) return std::nullopt;
  if (rng_) return take_any();
  int spins = 0;
  int32_t task = kEmpty;
  while ((task = places_[number].load(std::memory_order_acquire)) == kEmpty) {
    if (stopped_.load(std::memory_order_relaxed)) return std::nullopt;
    relax(spins);
  }
  return static_cast<uint32_t>(task);
}

std::optional<uint32_t> ReadyQueue::take_any() {
  int spins = 0;
  while (!stopped_.load(std::memory_order_relaxed)) {
    {
      const std::lock_guard lock(mutex_);
      if (!ready_.empty()) {
        const int64_t pick = rng_->integer(0, static_cast<int64_t>(ready_.size()));
        std::swap(ready_[static_cast<std::size_t>(pick)], ready_.back());
        const uint32_t task = ready_.back();
        ready_.pop_back();
        return task;
      }
    }
    relax(spins);
  }
  return std::nullopt;
}

}  // namespace tilewright::cpu
