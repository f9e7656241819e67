// Accesses to the same bytes, at least one of them a write, whose order is not certain. Storages
// are compared by their addresses, copy by copy; GM by the elements of each access.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "tilewright/golden/exact/clocks.h"
#include "tilewright/golden/exact/findings.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden::exact {

// One execution of an instruction.
struct Who {
  int instance = -1, instruction = -1, unit = 0;
};

class Races {
 public:
  Races(const ir::LoweredKernel& code, const Clocks& clocks, Findings& findings);

  void on_chip(const Who& who, int storage, int copy, bool write);
  // `cols`: the last dimension of the whole buffer.
  void in_gm(const Who& who, const ir::TensorRef& ref, int64_t cols, bool write);

  int64_t pairs() const { return pairs_; }

 private:
  // Per unit the last access: earlier ones of the same unit come before it.
  using Last = std::array<Who, ir::kUnits>;
  struct Slot {  // one copy of a storage
    int storage = 0, copy = 0;
    std::vector<std::size_t> overlapping;  // slots, this one among them
    Last reads, writes;
  };
  struct GmAccess {
    Who who;
    bool write = false;
    std::vector<ir::Rect> rects;
  };

  bool is_race(const Who& earlier, const Who& later);
  void compare(const Last& earlier, const Slot& theirs, const Who& who, const Slot& mine);

  const Clocks& clocks_;
  Findings& findings_;
  std::vector<std::size_t> first_slot_;  // by storage
  std::vector<Slot> slots_;
  std::map<ir::BufferId, std::vector<GmAccess>> gm_;
  int64_t pairs_ = 0;
};

}  // namespace tilewright::golden::exact
