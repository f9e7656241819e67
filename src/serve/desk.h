// A thread between the one that talks to clients and the one that computes: it reads requests,
// which may be long, so that neither of the two waits for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tilewright::serve {

class Desk {
 public:
  explicit Desk(std::size_t most);
  ~Desk();  // what waits is not done
  Desk(const Desk&) = delete;

  // In the order they come. False when so many wait already.
  bool leave(std::function<void()> work);

 private:
  void run();

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tilewright::serve
