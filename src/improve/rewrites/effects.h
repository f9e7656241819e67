// What a statement reads and writes, including nested statements. Decides whether two statements
// may be exchanged.
#pragma once

#include <set>
#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::improve {

// Which names stand for the same memory: outside scopes, slice and reshape make views.
class Aliases {
 public:
  explicit Aliases(const ir::Program& p);
  ir::VarId root(ir::VarId v) const { return roots_[v.index()]; }
  bool is_view(ir::VarId v) const { return root(v) != v; }

 private:
  std::vector<ir::VarId> roots_;
};

struct Effects {
  std::set<ir::VarId> reads, writes;  // arrays, by the memory they stand for
  std::set<ir::VarId> uses, defines;  // scalars
  bool keeps_its_place = false;       // signals, kernels without a body, jumps, named tasks
};

Effects effects_of(const ir::Stmt& s, const Aliases& aliases);
Effects effects_of(const ir::Block& block, const Aliases& aliases);
bool may_swap(const Effects& a, const Effects& b);

// Makes statements i and j adjacent by moving the statements between them before i or after j.
// Returns the new position of i, or nothing when a statement can move neither way.
std::optional<std::size_t> bring_together(ir::Block& block, std::size_t i, std::size_t j,
                                          const Aliases& aliases);

}  // namespace tilewright::improve
