#include "tilewright/serve/desk.h"

namespace tilewright::serve {

Desk::Desk(std::size_t most) : most_(most), thread_([this] { run(); }) {}

Desk::~Desk() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  something_.notify_one();
  thread_.join();
}

bool Desk::leave(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= most_) return false;
    waiting_.push_back(std::move(work));
  }
  something_.notify_one();
  return true;
}

void Desk::run() {
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      something_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace tilewright::serve
