// Ctrl-C and other requests to end, in commands that have temporary files: those are removed first.
#pragma once

#include <thread>

namespace tilewright::cli {

// While it lives, a thread of its own waits for SIGINT, SIGTERM and SIGHUP, removes every
// TemporaryPath and ends the process by that signal. Make it before any other thread: those started
// later inherit that these signals are blocked.
class TidyEnd {
 public:
  TidyEnd();
  TidyEnd(const TidyEnd&) = delete;
  TidyEnd& operator=(const TidyEnd&) = delete;
  ~TidyEnd();

 private:
  std::thread waiting_;
};

}  // namespace tilewright::cli
