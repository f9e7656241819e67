// HBM shared by the running tasks. Each asks for what it would read at full speed; when the sum is
// more than HBM gives, every load takes longer in the same proportion per byte, and a task is slowed
// by as much as its own loads cannot hide.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/sim/profiles.h"

namespace tilewright::sim {

class Bandwidth {
 public:
  Bandwidth(Profiles& profiles, double gb_per_s) : profiles_(profiles), bytes_per_ps_(gb_per_s / 1000) {}

  void add(uint32_t profile, int64_t hbm_cost) { change(profile, hbm_cost, 1); }
  void remove(uint32_t profile, int64_t hbm_cost) { change(profile, hbm_cost, -1); }

  // Picoseconds per byte at which the demand of all running tasks just fits; 0 = no one waits.
  double share();

 private:
  struct Group {  // running tasks that are alike
    uint32_t profile;
    int64_t cost;
    int count;
  };

  void change(uint32_t profile, int64_t cost, int by);
  double demand(double ps_per_byte);

  Profiles& profiles_;
  double bytes_per_ps_;
  std::vector<Group> groups_;
  bool known_ = true;
  double share_ = 0;
};

}  // namespace tilewright::sim
