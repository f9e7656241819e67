// Independent pieces of work on all cores: searches that judge many candidates, fits over many
// rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tilewright/base/stop.h"

namespace tilewright {

// Calls `work(i)` for every i below `count`, each once, in ascending order from up to `threads`
// threads. The first exception ends the work and is thrown again here. What stops this thread stops
// them all.
template <class F>
void for_each_index(std::size_t count, F&& work,
                    std::size_t threads = std::thread::hardware_concurrency()) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex mutex;
  static const std::atomic<bool> never = false;
  const std::atomic<bool>& stop = stop_flag ? *stop_flag : never;
  const auto run = [&] {
    const StopScope scope(stop);
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failed) failed = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(run);
    run();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace tilewright
