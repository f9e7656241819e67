// The cases that are C++: what the builder refuses while the program is being written, and forms
// that no program file can have. Both twins are built by the same function, so what differs between
// them is exactly what `bad` chooses.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "places.h"
#include "steps.h"
#include "tilewright/dsl/ops.h"

namespace error_test {

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
  const Places& places() const { return places_; }

 private:
  Places places_;
};

struct BuilderCase {
  std::string name;
  Step step = Step::Build;         // the last one that the bad twin takes
  std::vector<std::string> codes;  // of all diagnostics, in order
  std::function<void(Builder&, Twin&)> program;
  std::string message;  // all diagnostics, whole
};

std::vector<BuilderCase> types_cases();
std::vector<BuilderCase> type_rules_cases();
std::vector<BuilderCase> structure_cases();
std::vector<BuilderCase> loops_cases();
std::vector<BuilderCase> scalars_cases();

}  // namespace error_test
