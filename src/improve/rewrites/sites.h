// Where the loops of a program stand. A loop has a number, its place in textual order, by which it
// is found again in a copy of the program that is to be changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/improve/advice.h"
#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct LoopSite {
  int number = 0;
  const ir::For* loop = nullptr;
  const ir::Block* block = nullptr;  // that it stands in
  std::size_t position = 0;          // in the block
  const ir::Scope* scope = nullptr;  // around it; null in the orchestration
  bool in_task = false;              // in a scope or in the blocks of a launch
  std::string scope_name;            // around it, else the first inside it

  Where where() const;
};
std::vector<LoopSite> loop_sites(const ir::Program& p);

// The same loop in a copy.
struct LoopSpot {
  ir::Block* block = nullptr;
  std::size_t position = 0;
  ir::For& loop() const { return *(*block)[position].as<ir::For>(); }
};
LoopSpot find_loop(ir::Program& p, int number);

// The number of iterations, where it does not depend on scalars.
std::optional<int64_t> constant_trips(const ir::For& loop);

// e / divisor, if every part of e is a multiple of it.
std::optional<ir::Expr> divided(const ir::Expr& e, int64_t divisor);

bool depends_on(const ir::Expr& e, ir::VarId v);

}  // namespace tilewright::improve
