// The way of a program through the checker, step by step, under settings that a case can choose.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "places.h"
#include "tilewright/compile/compile.h"

namespace error_test {

using namespace tilewright;

// In order; each is taken when the one before it found no error.
enum class Step { Build, Compile, Unroll, Hazards };
std::string_view step_name(Step step);

struct Settings {
  std::string platform = "a2a3";
  std::string rules = "exact";
  compile::Budget budget = {};
  std::map<std::string, double> scalars = {};            // the rest are 0
  std::map<std::string, std::vector<double>> data = {};  // of tensors; what is not given is 0
  std::string unbound = {};                              // the tensor that gets no array
};

struct Outcome {
  Step last_step = Step::Build;
  Diagnostics diagnostics;
  Places places = {};  // of a program that is written in C++
};

// All steps after building. A program without errors is also executed, in a random order of its
// tasks: the interpreter has checks of its own.
Outcome take_steps(const ir::Program& program, const Settings& settings);

}  // namespace error_test
