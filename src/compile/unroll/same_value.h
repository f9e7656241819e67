// Whether two tasks of one kernel store the same bits: all that the stored tile is computed from,
// inputs, offsets, trips and branches, is the same in both. Who stores last does not matter then.
#pragma once

#include <map>
#include <vector>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

class SameValue {
 public:
  SameValue(const ir::Plan& plan, const ir::TaskGraph& graph) : plan_(plan), graph_(graph) {}

  // `store` stands in the kernel of both tasks.
  bool stored_by(const ir::Task& a, const ir::Task& b, const ir::Op& store);

 private:
  // What a stored tile is computed from.
  struct Recipe {
    bool known = true;                // false: also from what this room does not follow
    std::vector<ir::Expr> numbers;    // of the kernel's scalars and loop variables
    std::vector<ir::VarId> floats;    // scalars of the kernel
    std::vector<std::size_t> inputs;  // arguments of the kernel
  };
  class Collector;

  bool same_inputs(const Recipe& r, const ir::Kernel& k, const ir::Task& a, const ir::Task& b) const;
  bool same_numbers(const Recipe& r, const ir::Kernel& k, const ir::Task& a, const ir::Task& b) const;

  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  std::map<const ir::Op*, Recipe> recipes_;
};

}  // namespace tilewright::compile
