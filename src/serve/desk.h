// A thread between the one that talks to clients and the one that computes: it reads requests,
// which may be long, so that neither of the two waits for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tilewright::serve {

class Desk {
 public:
  explicit Desk(std::size_t most_bytes) : most_bytes_(most_bytes), thread_([this] { run(); }) {}
  ~Desk();  // what waits is not done
  Desk(const Desk&) = delete;

  // In the order they come. False when the work that waits holds too many bytes already.
  bool leave(std::size_t bytes, std::function<void()> work);

 private:
  void run();

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;  // of what waits
  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<std::pair<std::size_t, std::function<void()>>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tilewright::serve
