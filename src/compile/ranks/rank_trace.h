// Records, while one rank's tasks are unrolled, what they do to windows and signals, and in which
// order they add up the parts of several ranks.
#pragma once

#include <map>
#include <string>

#include "tilewright/compile/unroll/buffers.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/rank_events.h"

namespace tilewright::compile {

class RankTrace {
 public:
  explicit RankTrace(const ir::Program& program) : p_(program) {}

  bool is_on() const { return p_.ranks > 1; }

  void begin_task(ir::TaskId task, int64_t rank);
  // An access of `op` to a rectangle of a buffer whose variable is `array`.
  void access(const ir::Op& op, ir::VarId array, const ir::Rect& rect, bool write, bool certain);
  void read(const ir::Read& read, ir::VarId array, const ir::Rect& rect, bool certain);
  void signal(const ir::Signal& signal, ir::VarId array, const ir::ScalarEnv& env, bool certain);
  void operation(const ir::Op& op);  // every op of a kernel, after its accesses
  void end_task();

  void finish(ir::TaskGraph& graph);

 private:
  void add(ir::RankEvent event, const ir::Rect& rect);
  int64_t rows_per_rank(ir::VarId window) const;
  std::string combined(const ir::Op& op, const std::string& a, const std::string& b);

  const ir::Program& p_;
  ir::TaskId task_;
  int64_t rank_ = 0;
  std::vector<ir::RankEvent> events_;
  std::vector<ir::RankSum> sums_;
  // Of the task at hand: what a tile is the sum of, and the sums as far as each op has come.
  std::map<ir::VarId, std::string> parts_;
  std::map<const ir::Op*, std::string> open_sums_;
};

}  // namespace tilewright::compile
