#include "tilewright/cli/progress.h"

#include <fmt/format.h>

namespace tilewright::cli {

using Clock = std::chrono::steady_clock;

void Progress::begin(const std::string& stage) {
  if (!enabled_) return;
  end();
  stop_ = false;
  fraction_ = -1;
  stage_ = stage;
  thread_ = std::thread([this] { tick(); });
}

void Progress::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::note(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
}

void Progress::tick() {
  const auto start = Clock::now();
  bool shown = false;
  std::unique_lock lock(mutex_);
  // Nothing for a stage that is over before a person could read it.
  auto pause = std::chrono::milliseconds(700);
  while (!changed_.wait_for(lock, pause, [&] { return stop_; })) {
    pause = std::chrono::milliseconds(200);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double fraction = fraction_;
    const std::string share = fraction < 0 ? "" : fmt::format(" {:.0f}%,", 100 * fraction);
    stream_ << fmt::format("\r\x1b[K  {} ...{} {:.0f} s", stage_, share, seconds) << std::flush;
    shown = true;
  }
  if (shown) stream_ << "\r\x1b[K" << std::flush;
}

}  // namespace tilewright::cli
