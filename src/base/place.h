// A place in somebody's source file. `Here` captures the caller's place when used as a default
// argument; std::source_location is missing in Clang 14.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;  // 1-based; 0 when the front end has none (C++ callers)

  bool known() const { return line != 0; }
  std::string text() const;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Here {
  const char* file;
  uint32_t line;

  Here(const char* f = __builtin_FILE(), uint32_t l = __builtin_LINE()) : file(f), line(l) {}
  Place place() const { return {file, line, 0}; }
};

}  // namespace tilewright
