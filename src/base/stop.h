// Work that nobody waits for any more. Whoever starts it sets a flag for its thread; long loops of
// the rooms look at the flag and give up. Without a flag nothing is ever stopped.
#pragma once

#include <atomic>

namespace tilewright {

// Thrown by work that was stopped. Not an error, so no handler of errors may take it for one.
struct Stopped {};

inline thread_local const std::atomic<bool>* stop_flag = nullptr;

// For the life of the scope, work of this thread is stopped when `flag` is set.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>& flag) : before_(stop_flag) { stop_flag = &flag; }
  ~StopScope() { stop_flag = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

inline void stop_if_asked() {
  if (stop_flag && stop_flag->load(std::memory_order_relaxed)) throw Stopped{};
}

}  // namespace tilewright
