// The queues of a core's units. Each unit executes its instances in order, the next one when all
// that it waits for is done; which unit goes on is the schedule's choice.
#pragma once

#include <array>
#include <deque>
#include <span>

#include "tilewright/golden/exact/executor.h"
#include "tilewright/golden/exact/schedule.h"

namespace tilewright::golden::exact {

class Queues {
 public:
  Queues(Executor& executor, Schedule& schedule) : executor_(executor), schedule_(schedule) {}

  void push(int unit, Instance instance);
  // Something that is done when it is issued.
  void skip(int number) { mark_done(number); }
  void run_until_done(std::span<const int> instances);
  void drain() { run_down_to(0); }

 private:
  bool all_done(std::span<const int> instances) const;
  void mark_done(int number);
  void run_one();
  void run_down_to(int64_t left);

  Executor& executor_;
  Schedule& schedule_;
  std::array<std::deque<Instance>, ir::kUnits> units_;
  int64_t queued_ = 0;
  std::vector<bool> done_;  // by number of the instance
};

}  // namespace tilewright::golden::exact
