// Iterations that were declared independent, by parallel or spmd, must be: told where they are not.
#pragma once

#include <vector>

#include "tilewright/compile/unroll/findings.h"
#include "tilewright/compile/unroll/same_value.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

class Independence {
 public:
  Independence(const ir::Plan& plan, const ir::TaskGraph& graph, Findings& findings)
      : plan_(plan), graph_(graph), findings_(findings) {}

  // Where unrolling is; loops that promise nothing are left out.
  void begin_loop(const ir::For& f);
  void enter_trip(const ir::For& f, int64_t trip);
  void leave_loop(const ir::For& f);
  void add_task() { task_trip_.push_back(trip_); }

  // Task `to` touches with `access` what `from` touched before.
  void conflict(ir::TaskId from, ir::TaskId to, ir::EdgeKind kind, const ir::Access& access);

 private:
  struct Trip {
    int parent;
    const ir::For* loop;
    int64_t instance;  // of the loop, numbered as they begin
    int64_t trip;
  };

  bool only_add(ir::TaskId from, ir::TaskId to, const ir::Access& at) const;
  bool write_one_value(ir::TaskId from, ir::TaskId to, const ir::Access& at);
  void report(const ir::For& loop, int64_t from, int64_t to, ir::EdgeKind kind,
              const ir::Access& access, const ir::Rect& region);
  ir::Rect shared_region(ir::TaskId from, ir::EdgeKind kind, const ir::Access& at) const;

  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  Findings& findings_;
  std::vector<Trip> trips_;
  std::vector<int> task_trip_;  // by task: the innermost trip it is in
  int trip_ = -1;
  int64_t instances_ = 0;
  SameValue same_value_{plan_, graph_};
};

}  // namespace tilewright::compile
