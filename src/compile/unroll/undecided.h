// Scalars where data decides which statements are executed.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "tilewright/ir/scalar_ranges.h"
#include "tilewright/ir/statements.h"

namespace tilewright::compile {

// Every scalar that statements of a block or of the blocks inside it set.
std::vector<ir::VarId> scalars_set_in(std::span<const ir::Stmt> block);
std::vector<ir::VarId> scalars_set_in(const ir::If& branch);

// The variables that keep an expression from having a value.
std::vector<ir::VarId> unknown_in(std::initializer_list<ir::Expr> list, const ir::ScalarEnv& env);
std::vector<ir::VarId> unknown_in(const ir::Cond& condition, const ir::ScalarEnv& env);

// Scalars on two sides of which data takes one: each side starts with the same, and what is known
// afterwards is what holds on both.
class ScalarSides {
 public:
  ScalarSides(std::vector<ir::VarId> scalars, const ir::ScalarEnv& env,
              const ir::ScalarRanges& ranges);

  void other_side(ir::ScalarEnv& env, ir::ScalarRanges& ranges);
  void join(ir::ScalarEnv& env, ir::ScalarRanges& ranges) const;

 private:
  std::vector<ir::Range> known(const ir::ScalarEnv& env, const ir::ScalarRanges& ranges) const;
  void set(const std::vector<ir::Range>& to, ir::ScalarEnv& env, ir::ScalarRanges& ranges) const;

  std::vector<ir::VarId> scalars_;        // set on either side
  std::vector<ir::Range> start_, first_;  // by scalar; a value is a range of one
};

}  // namespace tilewright::compile
