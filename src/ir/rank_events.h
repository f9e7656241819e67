// What the tasks of one rank do to windows and signals, in the order in which each task does it.
// Recorded while a program of several ranks is unrolled; `compile` compares the ranks by it.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/ir/region.h"
#include "tilewright/ir/statements.h"

namespace tilewright::ir {

struct RankEvent {
  enum class Kind : uint8_t { Read, Write, Add, Notify, Wait };
  Kind kind = Kind::Read;
  TaskId task;
  VarId window;
  int64_t owner = 0;  // the rank whose part of the window is meant
  Rect rect;          // within that part; one element for a signal
  bool certain = true;  // false: device data choose the element, the value, or whether it happens
  int64_t value = 0;               // of a signal
  const Signal* signal = nullptr;  // in the plan; null for data
  const Place* place = nullptr;    // in the plan

  bool is_signal() const { return kind == Kind::Notify || kind == Kind::Wait; }
  bool writes() const { return kind == Kind::Write || kind == Kind::Add; }
};

// A sum in which parts of several ranks were added: "((0+1)+2)". Operands of one addition are
// sorted, since a + b is b + a to the bit; what remains is the order that rounding sees.
struct RankSum {
  const Op* op = nullptr;  // the last addition
  std::string order;
};

}  // namespace tilewright::ir
