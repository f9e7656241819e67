// The two sides of a mixed task: each runs on a thread of its own, but only one at a time. A side
// goes on until its pipes wait for the other one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace shim {

// What went through a queue between the sides.
struct QueueState {
  int64_t pushed = 0, freed = 0;
};

class Sides {
 public:
  // Runs one function per side to its end; `first` begins.
  void run(const std::vector<std::function<void()>>& sides, std::size_t first) {
    turn_ = first % sides.size();
    runs_.assign(sides.size(), true);
    std::vector<std::exception_ptr> problems(sides.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sides.size(); ++i)
      threads.emplace_back([&, i] {
        me_ = i;
        current_ = this;
        wait_for_turn();
        try {
          sides[i]();
        } catch (...) {
          problems[i] = std::current_exception();
        }
        runs_[i] = false;
        pass();
      });
    for (std::thread& t : threads) t.join();
    for (const std::exception_ptr& p : problems)
      if (p) std::rethrow_exception(p);
    for (const auto& [flag, state] : queues)
      if (state.pushed != state.freed)
        throw std::runtime_error("a tile that is handed over and never taken");
  }

  // Lets the other side go on. False if that is of no use: it has ended, or waits as well.
  bool yield() {
    if (!runs_[1 - me_] || ++idle_ > 2) return false;
    pass();
    wait_for_turn();
    return true;
  }
  void went_on() { idle_ = 0; }

  static Sides* current() { return current_; }

  std::map<int, QueueState> queues;  // by flag

 private:
  void pass() {
    const std::lock_guard lock(mutex_);
    if (runs_.size() > 1 && runs_[1 - me_]) turn_ = 1 - me_;
    changed_.notify_all();
  }
  void wait_for_turn() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return turn_ == me_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  std::vector<char> runs_;
  int idle_ = 0;
  static inline thread_local std::size_t me_ = 0;
  static inline thread_local Sides* current_ = nullptr;
};

}  // namespace shim
