// Executors of the tasks of a plan: golden, the reference interpreter, or this CPU.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tilewright/golden/exp.h"
#include "tilewright/ir/forward.h"
#include "tilewright/session/request.h"

namespace tilewright::session {

struct Executor {
  std::string name;
  // Computes on the arrays of the bindings; returns what it has to say.
  std::function<std::string(const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&)> run;
  golden::Exp exp = golden::rounded_exp;  // as it computes exp
};

struct ExecutorOptions {
  int threads = 0;                          // of this CPU; 0 = one per core
  std::optional<uint64_t> order_seed = {};  // a random order that the dependences allow
};

// The meaning of the program, slowly.
Executor golden_executor(std::optional<uint64_t> order_seed = {});
// At the speed of this machine. Weights are packed and their arrays given back: one run only.
Executor cpu_executor(const ExecutorOptions& options, cpu::InstructionSet instructions);
// Programs for this machine run at its speed; those for a simulated chip by their meaning.
// UserError for threads that the platform cannot have.
Executor executor_for(const Request& request, const ExecutorOptions& options);

}  // namespace tilewright::session
