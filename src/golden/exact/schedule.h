// Chooses which unit works next. The seed sets how adverse the schedule is: how far instructions
// are issued ahead, and which units are favoured or starved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/base/rng.h"
#include "tilewright/ir/pipe.h"

namespace tilewright::golden::exact {

class Schedule {
 public:
  explicit Schedule(std::optional<uint64_t> seed);

  // How many of the queued instances may stay queued before the next one is issued.
  int64_t keep(int64_t queued);
  // One of the units that can go on; there is at least one.
  int choose(const std::vector<int>& ready);

 private:
  Rng rng_;
  int64_t ahead_ = 0;                       // instances that are issued before units must work
  std::array<int64_t, ir::kUnits> weight_;  // how often a unit is chosen; 0: if there is no other
};

}  // namespace tilewright::golden::exact
