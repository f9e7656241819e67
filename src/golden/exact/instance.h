// One execution of an instruction, made when it is issued. Nothing in it depends on scalars or
// names any more, because it may be executed much later.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/golden/exact/location.h"
#include "tilewright/golden/scalars.h"

namespace tilewright::golden::exact {

struct Instance {
  int number = -1;  // in program order
  int instruction = -1;
  ir::Op op;  // its expressions are constants, its operands those of the instruction
  std::vector<std::optional<Location>> src;  // nothing: in GM
  std::optional<Location> dst;               // the same
  Window written;                            // of dst
  bool reads_undefined = false;              // in program order, some of it is not written yet
  std::vector<int> waits;                    // numbers of instances
};

// What the instruction computes, with the values that scalars have now.
ir::Op constant_op(const ir::Instruction& in, const Scalars& scalars, const Site& site);

}  // namespace tilewright::golden::exact
