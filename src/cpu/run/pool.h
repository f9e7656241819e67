// Threads that wait for work. They spin for a while before they sleep: the parts of a step follow
// each other within microseconds.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace tilewright::cpu {

class Pool {
 public:
  // 0 = one per core that this process may use. The caller is thread 0.
  explicit Pool(int threads = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // Calls work(thread) on every thread at once and returns when all have returned. `work` must not
  // throw.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int thread);

  std::vector<std::thread> workers_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<uint32_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> stop_{false};
};

// A short rest inside a loop that waits for another thread.
void relax(int& spins);

}  // namespace tilewright::cpu
