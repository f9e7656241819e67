// A thread that does one piece of work after another, as long as there is some.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tilewright::lsp {

class Lane {
 public:
  // `work` does one piece and is false when there was none; it must not throw.
  explicit Lane(std::function<bool()> work);
  ~Lane() { end(); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void wake();  // there may be work
  void end();   // waits for the piece that is being done
  // Waits until there is no work, at most so long; false when there is still some.
  bool settle(std::chrono::duration<double> most);

 private:
  void run();

  std::function<bool()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false, ended_ = false, idle_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace tilewright::lsp
