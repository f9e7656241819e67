// Background work of `watch`: only the newest request is run, and no request delays shutdown.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "tilewright/catalog/catalog.h"

namespace tilewright::cli {

class Background {
 public:
  // Said to work that nobody wants any more.
  using GivenUp = std::shared_ptr<std::atomic<bool>>;
  using Work = std::function<void(const GivenUp&)>;

  Background();
  ~Background();  // gives up what is going on
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Gives up what is going on and does this instead.
  void start(Work work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Work next_;
  GivenUp current_;
  bool ended_ = false;
  std::thread thread_;  // last: it uses the rest
};

// Thrown by a definition whose work was given up.
struct GaveUp {};
// The same program, which throws GaveUp when it is asked for anything after that.
catalog::ProgramDef until_given_up(const catalog::ProgramDef& def, const Background::GivenUp& flag);

}  // namespace tilewright::cli
