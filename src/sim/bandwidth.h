// HBM shared by the running tasks. Each task demands what it would read at full speed. When the sum
// exceeds the rate of HBM, every byte takes longer by the same amount, and a task is slowed by the
// part of that time which its other pipes do not hide.
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

  // Picoseconds per byte at which the demand of all running tasks equals the rate of HBM; 0 when
  // the demand is lower.
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
