// Stages of the orchestration that become one: scopes of one block, or parallel loops over scopes
// with equal bounds.
#pragma once

#include <functional>

#include "tilewright/improve/advice.h"
#include "tilewright/improve/rewrites/on_chip.h"

namespace tilewright::improve {

struct StageScope {
  std::string name;
  Place place;
};
// The same with the name that its kernel has: a scope need not be named.
StageScope as_kernel(const Subject& s, const StageScope& scope);

struct JoinedStages {
  ir::Program program;
  std::vector<StageScope> scopes;  // that became one, in their order
  Tightened saved;
  // Of the joined scope, which has a placeholder name in `program` until named() is called.
  std::string name;

  ir::Program named() const;
};

// Every run of two or more stages that can be joined, each with the scope tightened. An ordered
// loop over one scope is such a stage, too: it goes into the task.
void for_each_join(const ir::Program& p, const std::function<void(JoinedStages)>& visit);

struct TightenedScope {
  ir::Program program;
  StageScope scope;
  Tightened saved;
};
// Every scope tightened by itself, where that changes something.
void for_each_tightened(const ir::Program& p, const std::function<void(TightenedScope)>& visit);

}  // namespace tilewright::improve
