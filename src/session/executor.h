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
  // Computes on the arrays of the bindings; returns a remark for the report.
  std::function<std::string(const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&)> run;
  golden::Exp exp = golden::rounded_exp;  // the exp that it computes with
  std::string sums = "reproducible";      // in which order it adds products
};

struct ExecutorOptions {
  int threads = 0;                          // of this CPU; 0 = one per core
  std::optional<uint64_t> order_seed = {};  // a random order that the dependences allow
};

// The reference interpreter; slow.
Executor golden_executor(std::optional<uint64_t> order_seed = {});
// The fast executor. It packs the weights and frees their arrays, so it can run only once.
Executor cpu_executor(const ExecutorOptions& options, cpu::InstructionSet instructions);
// The fast executor for programs on this CPU, the reference interpreter for programs on a simulated
// chip. UserError for a number of threads that the platform does not support.
Executor executor_for(const Request& request, const ExecutorOptions& options);

}  // namespace tilewright::session
