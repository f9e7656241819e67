#include "tilewright/lsp/lane.h"

#include <utility>

namespace tilewright::lsp {

Lane::Lane(std::function<bool()> work) : work_(std::move(work)), thread_([this] { run(); }) {}

void Lane::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void Lane::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Lane::settle(std::chrono::duration<double> most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [&] { return idle_ && !woken_; });
}

void Lane::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      idle_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return woken_ || ended_; });
      if (ended_) return;
      idle_ = woken_ = false;
    }
    while (work_()) {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
    }
  }
}

}  // namespace tilewright::lsp
