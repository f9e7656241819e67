// The loops around the statement that is executed, so that a message can say in which iteration it
// fails. Orchestrator and kernel share one: a kernel's loops are inside those that submit it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tilewright/ir/program.h"

namespace tilewright::compile {

class Iteration {
 public:
  void begin(const ir::For& loop) { loops_.push_back(loop.var); }
  void leave() { loops_.pop_back(); }

  // "nb = 3, kb = 6"; empty outside of all loops.
  std::string text(const ir::Program& program, const ir::ScalarEnv& env) const {
    std::string out;
    for (const ir::VarId v : loops_)
      if (env.known(v))
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", program[v].written_name(),
                           env.value(v));
    return out;
  }

 private:
  std::vector<ir::VarId> loops_;  // from the outermost
};

}  // namespace tilewright::compile
