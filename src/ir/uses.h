// Who reads and who writes the variables of a lowered kernel. `compile` finds groups with it, `cpu`
// asks it which weights are only ever multiplied.
#pragma once

#include <vector>

#include "tilewright/ir/plan.h"

namespace tilewright::ir {

class Uses {
 public:
  Uses(const Program& program, const Kernel& kernel, const LoweredKernel& lowered);

  bool is_argument(VarId v) const { return of(v).argument; }
  // Whether its only writer makes it a view: it never has memory of its own.
  bool is_view(VarId v) const { return of(v).writers.size() == 1 && of(v).made_as_view; }
  // Whether a single element of it becomes a scalar; such reads are not among its readers.
  bool read_as_scalar(VarId v) const { return of(v).read_as_scalar; }
  // Instructions in textual order. One that has a variable as two operands is listed twice.
  const std::vector<int>& readers(VarId v) const { return of(v).readers; }
  const std::vector<int>& writers(VarId v) const { return of(v).writers; }

 private:
  struct Facts {
    bool argument = false, made_as_view = false, read_as_scalar = false;
    std::vector<int> readers, writers;
  };
  const Facts& of(VarId v) const { return facts_[v.index()]; }
  void add(const Instruction& in, int number);

  std::vector<Facts> facts_;  // by variable
};

}  // namespace tilewright::ir
