// One bad program, the exact message it earns, and its good twin. Both twins are built by the same
// function, so what differs between them is exactly what `bad` chooses.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"

namespace error_test {

using namespace tilewright;
using namespace tilewright::dsl;

inline constexpr DType F32 = DType::F32, BF16 = DType::BF16, I8 = DType::I8, I32 = DType::I32;
inline constexpr DType U8 = DType::U8, BOOL = DType::Bool;

// What a program is handed: which twin it is to be, and the places its message will name.
class Twin {
 public:
  explicit Twin(bool is_bad) : bad(is_bad) {}
  const bool bad;

  // Given as the last argument of a call: that call stands at {name} in the message.
  Here at(const std::string& name, Here here = {}) {
    places_[name] = here.place().text();
    return here;
  }
  // {name} for every place, and the reverse.
  std::string with_places(std::string message) const;
  std::string with_names(std::string message) const;

 private:
  std::map<std::string, std::string> places_;
};

// The last step the bad twin takes: the one that refuses it, or Hazards when it is only warned.
enum class Step { Build, Compile, Unroll, Hazards };

struct Setup {
  std::string platform = "a2a3";
  std::string rules = "exact";
  compile::Budget budget = {};
  std::map<std::string, double> scalars = {};             // the rest are 0
  std::map<std::string, std::vector<double>> data = {};  // of parameters; the rest are 0
  std::string unbound = {};                               // the bad twin gets no array for it
  // Where the program is the same, and only the machine or its runtime is at fault.
  std::string good_platform = {};
  std::string good_rules = {};
};

struct Case {
  std::string name;
  Step step = Step::Compile;
  std::vector<std::string> codes;  // of all diagnostics, in order
  std::function<void(Builder&, Twin&)> program;
  std::string message;  // all diagnostics, whole
  Setup setup = {};
  // For forms that the C++ language cannot write but another front end can: changes the bad twin.
  std::function<void(ir::Program&)> edit = {};
};

void PrintTo(const Case& c, std::ostream* out);

std::vector<Case> types_cases();
std::vector<Case> type_rules_cases();
std::vector<Case> structure_cases();
std::vector<Case> loops_cases();
std::vector<Case> scalars_cases();
std::vector<Case> bounds_cases();
std::vector<Case> defined_cases();
std::vector<Case> valid_cases();
std::vector<Case> capacity_cases();
std::vector<Case> route_cases();
std::vector<Case> hazard_cases();

class ErrorCase : public testing::TestWithParam<Case> {};

inline std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

}  // namespace error_test
