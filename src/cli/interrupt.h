// Ctrl-C as a request to stop: the output produced so far is kept.
#pragma once

#include <atomic>

namespace tilewright::cli {

// While it lives, Ctrl-C sets a flag instead of ending the process; a second one ends it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  const std::atomic<bool>& flag() const;

 private:
  void (*before_)(int);
};

}  // namespace tilewright::cli
