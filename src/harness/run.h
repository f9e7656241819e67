// The run of a program: compile, generate inputs, unroll, compute the formula, execute, compare.
// Prints nothing; an Observer hears the stages as they happen.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tilewright/harness/request.h"
#include "tilewright/harness/result.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::harness {

// Whoever computes a plan's tasks on the arrays of the bindings; returns what it has to say.
struct Executor {
  std::string name;
  std::function<std::string(const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&)> run;
};
// The meaning of the program, slowly; with a seed, in a random order that its dependences allow.
Executor golden_executor(std::optional<uint64_t> order_seed = {});
// At the speed of this machine. Weights are packed and their arrays given back: one run only.
struct CpuOptions {
  int threads = 0;  // 0 = one per core
  std::optional<uint64_t> order_seed = {};
};
Executor cpu_executor(const CpuOptions& options = {});

struct Observer {
  std::function<void(const RunResult&)> start;  // program, shape, platform, keys and seed are set
  std::function<void(const std::string& stage)> begin;
  std::function<void(const Stage&)> end;
  std::function<void(double fraction)> progress;  // of the stage that has begun
};

struct RunRequest : Request {
  std::string save_data;  // directory to write, empty = none
  std::string replay;     // directory to take inputs and expected values from, empty = generate
  std::string rules;      // of the runtime whose orders are explored; empty = the platform's own
  uint64_t explore = 0;   // random orders to try under those rules
};

// Mistakes in the program come back as diagnostics of the result; those that leave nothing to
// report (a bad key, a directory that cannot be written) throw UserError.
RunResult run(const catalog::ProgramDef& def, const RunRequest& request, const Executor& executor,
              const Observer& observer = {});

}  // namespace tilewright::harness
