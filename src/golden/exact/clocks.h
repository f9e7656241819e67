// What is certain about the order of instances, whatever interleaving is chosen: an instance comes
// after the one before it on its unit, after those it waits for and after the last scalar read, and
// after everything these come after.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tilewright/ir/pipe.h"

namespace tilewright::golden::exact {

class Clocks {
 public:
  // The next instance in program order; instances are numbered from 0.
  int add(int unit, std::span<const int> waits);
  // Everything that is added later comes after `instance`.
  void hold(int instance) { held_by_ = instance; }

  bool ordered(int earlier, int later) const {
    const auto unit = static_cast<std::size_t>(instances_[index(earlier)].unit);
    return instances_[index(earlier)].seen[unit] <= instances_[index(later)].seen[unit];
  }
  int count() const { return static_cast<int>(instances_.size()); }

 private:
  struct Instance {
    int unit = 0;
    std::array<uint32_t, ir::kUnits> seen{};  // per unit: instances up to and including this one
  };
  static std::size_t index(int instance) { return static_cast<std::size_t>(instance); }

  std::vector<Instance> instances_;
  std::array<int, ir::kUnits> last_ = [] {
    std::array<int, ir::kUnits> none{};
    none.fill(-1);
    return none;
  }();
  int held_by_ = -1;
};

}  // namespace tilewright::golden::exact
