// Which steps of all ranks certainly end before others begin: those that precede them in their
// rank, and the notifies without which a wait could not have ended.
#pragma once

#include "tilewright/compile/ranks/bits.h"
#include "tilewright/compile/ranks/timeline.h"

namespace tilewright::compile {

class HappensBefore {
 public:
  // `executed`: when each step was, in one execution of them all.
  HappensBefore(const Timeline& timeline, const std::vector<uint32_t>& executed);

  bool before(uint32_t a, uint32_t b) const { return before_[b].has(a); }
  bool ordered(uint32_t a, uint32_t b) const { return before(a, b) || before(b, a); }

 private:
  void close();
  bool learn();  // whether a notify was found that a wait needs
  // What may have changed a signal before a wait ended.
  struct Given {
    struct Notify {
      uint32_t step;
      int64_t value;
      bool replaces;
    };
    std::vector<Notify> added;  // or set
    int64_t taken = 0;          // away, certainly: at most 0
  };
  Given given_before(uint32_t wait, const std::vector<uint32_t>& notifies) const;
  bool needs(uint32_t wait, uint32_t notify, const Given& given) const;
  std::vector<uint32_t> needed(uint32_t wait, const std::vector<uint32_t>& notifies) const;

  const Timeline& t_;
  const std::vector<uint32_t>& executed_;
  std::vector<std::vector<uint32_t>> preds_;  // of the timeline, and notifies that waits need
  std::vector<Bits> before_;
};

}  // namespace tilewright::compile
