// Which tiles of a kernel need no memory of their own: a slice, load, move, reshape or
// set_validshape whose source does not change while the result is in use is a view of it.
#pragma once

#include <vector>

#include "tilewright/ir/plan.h"

namespace tilewright::cpu {

class Aliases {
 public:
  // `shared[a][b]`: arguments a and b may be the same memory in some task.
  Aliases(const ir::Program& program, const ir::Kernel& kernel,
          const std::vector<std::vector<bool>>& shared);

  bool is_argument(ir::VarId v) const { return argument_[v.index()] >= 0; }
  bool is_alias(ir::VarId v) const { return alias_[v.index()]; }
  // Statements that read `v`, in program order.
  const std::vector<const ir::Op*>& readers(ir::VarId v) const { return readers_[v.index()]; }
  // Whether a statement that is not an op (a scalar read) uses it.
  bool read_as_scalar(ir::VarId v) const { return read_as_scalar_[v.index()]; }
  const std::vector<const ir::Op*>& writers(ir::VarId v) const { return writers_[v.index()]; }

 private:
  struct Interval {
    int begin, end;
    bool contains(int at) const { return begin <= at && at <= end; }
  };

  void walk(const ir::Block& body);
  bool can_alias(const ir::Op& op, int def) const;
  int last_use(ir::VarId v, int def) const;
  bool changes(ir::VarId root, int after, int until) const;

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const std::vector<std::vector<bool>>& shared_;
  int position_ = 0;
  std::vector<int> argument_;  // by variable: its index, or -1
  std::vector<std::vector<int>> writes_, uses_;
  std::vector<std::vector<const ir::Op*>> readers_, writers_;
  std::vector<bool> alias_, read_as_scalar_;
  std::vector<ir::VarId> root_;
  std::vector<Interval> loops_;
};

}  // namespace tilewright::cpu
