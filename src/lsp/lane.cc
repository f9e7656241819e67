#include "tilewright/lsp/lane.h"

#include <utility>

namespace tilewright::lsp {

Lane::Lane(std::function<bool()> work) : work_(std::move(work)), thread_([this] { run(); }) {}

void Lane::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void Lane::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Lane::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return woken_ || ended_; });
      if (ended_) return;
      woken_ = false;
    }
    while (work_()) {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
    }
  }
}

}  // namespace tilewright::lsp
