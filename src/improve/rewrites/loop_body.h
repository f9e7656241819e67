// The body of a loop, for rewrites that do several iterations at once: its ops, which of them
// belong only to the first iteration, and how offsets move from iteration to iteration.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct BodyOp {
  const ir::Op* op = nullptr;
  bool first = false;    // only in the first iteration: in a branch `i == start`
  bool guarded = false;  // in either branch of such an if
};

class LoopBody {
 public:
  LoopBody(const ir::Program& p, const ir::For& loop);

  // Whether the loop variable is used only in window offsets and in tests for the first iteration,
  // and the body has no jumps and no communication.
  bool plain() const { return plain_; }
  const std::vector<BodyOp>& ops() const { return ops_; }

  // By how much an expression grows from one iteration to the next; nothing if that varies.
  std::optional<int64_t> slope(const ir::Expr& e) const;
  // The expression with scalars that are defined in the body replaced by their definitions.
  ir::Expr resolved(const ir::Expr& e) const;
  ir::Expr at_zero(const ir::Expr& e) const;  // resolved, the loop's variable 0

  // Arrays that an iteration both reads from the previous one and writes.
  bool carried(ir::VarId v) const { return carried_.contains(v); }
  bool used_outside(ir::VarId v) const;
  int uses_inside(ir::VarId v) const;
  int uses(ir::VarId v) const;  // in the whole program
  // Whether the value is computed from a carried array.
  bool made_of_carried(ir::VarId v) const;

 private:
  void collect(const ir::Block& block, bool first, bool guarded);
  void add_stmt(const ir::Stmt& s);
  bool tests_first(const ir::Cond& c, bool& first_in_then) const;
  void find_carried();

  const ir::For& loop_;
  bool plain_ = true;
  std::vector<BodyOp> ops_;
  std::map<ir::VarId, ir::Expr> lets_;
  std::set<ir::VarId> carried_;
  std::map<ir::VarId, int> inside_, everywhere_;
};

}  // namespace tilewright::improve
