// Ctrl-C as a request to stop: the output produced so far is kept.
#pragma once

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tilewright::cli {

// While it lives, Ctrl-C, or another signal, sets a flag instead of ending the process; a second
// one ends it.
class Interrupt {
 public:
  explicit Interrupt(std::initializer_list<int> signals = {SIGINT});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  const std::atomic<bool>& flag() const;

 private:
  std::vector<std::pair<int, void (*)(int)>> before_;  // by signal
};

}  // namespace tilewright::cli
