#include "tilewright/serve/desk.h"

namespace tilewright::serve {

Desk::~Desk() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  something_.notify_one();
  thread_.join();
}

bool Desk::leave(std::size_t bytes, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > most_bytes_) return false;
    bytes_ += bytes;
    waiting_.emplace_back(bytes, std::move(work));
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
      bytes_ -= waiting_.front().first;
      work = std::move(waiting_.front().second);
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace tilewright::serve
