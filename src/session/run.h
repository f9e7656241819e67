// The run of a program: compile, generate inputs, unroll, compute the formula, execute, compare.
// Prints nothing; an Observer hears the phases as they happen.
#pragma once

#include <functional>
#include <string>

#include "tilewright/session/executor.h"
#include "tilewright/session/request.h"
#include "tilewright/session/result.h"

namespace tilewright::session {

struct Observer {
  std::function<void(const RunResult&)> start;  // program, shape, platform, keys and seed are set
  std::function<void(const std::string& phase)> begin;
  std::function<void(const Phase&)> end;
  std::function<void(double fraction)> progress;  // of the phase that has begun
};

struct RunOptions {
  std::string save_data = {};  // directory to write, empty = none
  std::string replay = {};     // directory to take inputs from, empty = generate
  std::string expect = {};     // directory of expected outputs, empty = recording or formula
  uint64_t explore = 0;        // random orders to try under the rules of the request
};

// Mistakes in the program come back as diagnostics of the result; those that leave nothing to
// report (a bad key, a directory that cannot be written) throw UserError.
RunResult run(const catalog::ProgramDef& def, const Request& request, const Executor& executor,
              const RunOptions& options = {}, const Observer& observer = {});

}  // namespace tilewright::session
