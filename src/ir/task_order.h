// What the author of a program says about the order of tasks. Order follows from data here, so none
// of this changes a value: the hazard check compares it with what the data need, and dated runtime
// rules follow it. Task variables (Var::task) hold no data; only `compile/unroll` evaluates them.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/base/place.h"
#include "tilewright/ir/expr.h"
#include "tilewright/ir/ids.h"

namespace tilewright::ir {

// The tasks that a task variable stands for at the moment: none, one, or those that were joined.
struct TaskRef {
  VarId var;
  std::optional<Expr> index = {};  // of one entry of an array; absent: all of it
};

// `target = tasks`: from here on it stands for all of them; an array that is set to an array of its
// length stands for the same, entry by entry. A new array stands for no task.
struct TaskSet {
  TaskRef target;
  std::vector<TaskRef> tasks;
  Place place;
};

struct Program;
bool copies_array(const TaskSet& set, const Program& program);

// Of one submission: a scope of the orchestration, or an spmd loop.
struct TaskOrder {
  VarId task;                    // stands for the submission from then on; invalid: not named
  bool joins = false;            // `task` keeps what it stood for: the scope became several tasks
  std::vector<TaskRef> deps;     // starts after these
  std::vector<VarId> untracked;  // no_dep_args: tensors by which a runtime does not order this task
  bool manual = false;           // stands in a manual scope: `deps` are its only order
  bool early = false;  // allow_early_resolve: consumers may be put on cores before it ends

  bool says_something() const {
    return task.valid() || !deps.empty() || !untracked.empty() || manual || early;
  }
};

}  // namespace tilewright::ir
