// Internal checks: a failed CHECK reports file, line and values, and ends with exit code 3.
#pragma once

#include <stdexcept>
#include <string>

#include "tilewright/base/place.h"

namespace tilewright {

class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void bug(const std::string& message, Here here = {});

inline void check(bool condition, const char* message, Here here = {}) {
  if (!condition) [[unlikely]] bug(message, here);
}

}  // namespace tilewright
