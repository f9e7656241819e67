// Tasks that may run, in the order they became ready. Each task is pushed once and taken once, so
// the queue is an array: a taker draws a number and waits until that place is filled.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tilewright/base/rng.h"

namespace tilewright::cpu {

class ReadyQueue {
 public:
  void resize(std::size_t tasks);
  // Empty again, before a run. With a seed, a taker gets any of the ready tasks: for tests.
  void reset(std::optional<uint64_t> seed);
  void push(uint32_t task);
  // The next task; nothing when all have been taken or the run was stopped.
  std::optional<uint32_t> take();
  void stop() { stopped_ = true; }

 private:
  static constexpr int32_t kEmpty = -1;
  std::optional<uint32_t> take_any();

  std::unique_ptr<std::atomic<int32_t>[]> places_;
  std::size_t count_ = 0;
  std::atomic<std::size_t> head_{0}, tail_{0};
  std::atomic<bool> stopped_{false};
  // With a seed only.
  std::optional<Rng> rng_;
  std::mutex mutex_;
  std::vector<uint32_t> ready_;
};

}  // namespace tilewright::cpu
