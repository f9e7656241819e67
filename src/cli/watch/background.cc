#include "tilewright/cli/watch/background.h"

#include <utility>

#include "tilewright/ir/program.h"

namespace tilewright::cli {

Background::Background() : thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (current_) *current_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Background::start(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (current_) *current_ = true;
    next_ = std::move(work);
  }
  changed_.notify_one();
}

void Background::run() {
  for (;;) {
    Work work;
    GivenUp flag;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || next_; });
      if (ended_) return;
      work = std::exchange(next_, nullptr);
      flag = current_ = std::make_shared<std::atomic<bool>>(false);
    }
    work(flag);
  }
}

// Whoever judges many changed programs asks the definition for the inputs and scalars of each.
catalog::ProgramDef until_given_up(const catalog::ProgramDef& def,
                                   const Background::GivenUp& flag) {
  catalog::ProgramDef out = def;
  const auto guarded = [flag](auto function) {
    using Function = decltype(function);
    if (!function) return function;
    return Function([flag, function](auto&&... arguments) {
      if (*flag) throw GaveUp{};
      return function(std::forward<decltype(arguments)>(arguments)...);
    });
  };
  out.build = guarded(def.build);
  out.inputs = guarded(def.inputs);
  out.scalars = guarded(def.scalars);
  out.keys = guarded(def.keys);
  return out;
}

}  // namespace tilewright::cli
