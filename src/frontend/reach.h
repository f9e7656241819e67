// What the loops of a program that certainly run reach of some tensors.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "tilewright/ir/program.h"

namespace tilewright::frontend {

class Reach {
 public:
  // The program outlives it.
  Reach(const ir::Program& program, std::set<ir::VarId> tensors);

  std::map<ir::VarId, Shape> needed;  // of the tensors that are too small
  std::size_t outside = 0;            // accesses that leave their tensor
  struct Shorter {
    const ir::For* loop = nullptr;
    std::size_t helps = 0;  // so many of them
    int64_t trips = 0;      // that a loop has at most when they stay inside
  };
  std::map<ir::VarId, Shorter> shorter;  // by loop variable

 private:
  void block(const ir::Block& b);
  void statement(const ir::Stmt& s);
  void loop(const ir::For& f);
  void operation(const ir::Op& op);
  // Elements before `end` of one dimension, and perhaps `more`.
  void reaches(ir::VarId array, std::size_t dimension, const ir::Expr& end, int64_t more);
  void shorten(const ir::For& f, const ir::Term& term, int64_t excess);
  ir::Range range_of(const ir::Expr& e) const;
  ir::Expr settled(const ir::Expr& e) const;  // scalars that are set once stand for their values

  struct Loop {
    const ir::For* loop = nullptr;
    ir::Range range;
  };
  const ir::Program& p_;
  std::set<ir::VarId> tensors_, changing_;
  std::map<ir::VarId, Loop> loops_;
  std::map<ir::VarId, ir::Expr> values_;
};

}  // namespace tilewright::frontend
