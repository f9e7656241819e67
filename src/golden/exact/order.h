// Numbers the instances of a task in program order and works out what each of them waits for.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/golden/exact.h"
#include "tilewright/golden/exact/clocks.h"
#include "tilewright/golden/exact/executions.h"

namespace tilewright::golden::exact {

class Order {
 public:
  // `watched` is a wait of this kernel that is not kept.
  Order(const ir::LoweredKernel& code, const std::optional<WatchedWait>& watched)
      : code_(code), watched_(watched), executions_(code) {}

  struct Next {
    int number = -1;
    std::vector<int> waits;  // numbers
  };
  // The next instance, of the instruction whose effects on names `env` already has.
  Next next(int instruction, const Environment& env);
  // Everything that is issued later comes after this instance.
  void hold(int number) { clocks_.hold(number); }

  const Clocks& clocks() const { return clocks_; }
  int64_t watched() const { return watched_count_; }
  int64_t watched_unordered() const { return watched_unordered_; }

 private:
  const ir::LoweredKernel& code_;
  std::optional<WatchedWait> watched_;
  Executions executions_;
  Clocks clocks_;
  int64_t watched_count_ = 0, watched_unordered_ = 0;
};

}  // namespace tilewright::golden::exact
