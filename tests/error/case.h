// One bad program, the exact report it earns, and its good twin. What the checker refuses is
// written as files (file_case.cc), what the builder refuses in C++ (builder_case.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steps.h"

namespace error_test {

struct Case {
  std::string family;  // of its rule, such as "bounds"
  std::string name;
  std::function<std::string()> report;  // what the bad twin is told; {name} stands for a C++ place
  std::function<Outcome()> bad, good;
};

// "codes: bounds", "last step: unroll", an empty line, and all diagnostics, whole. The codes are
// those of the diagnostics, in order; the last step is the one that refuses the program, or hazards
// when it is only warned.
std::string report_of(const std::vector<std::string>& codes, Step last_step,
                      const std::string& message);
std::string report_of(const Outcome& outcome);
std::vector<std::string> codes_in(const std::string& report);

std::vector<Case> file_cases();
std::vector<Case> builder_cases();
std::vector<Case> all_cases();

}  // namespace error_test
