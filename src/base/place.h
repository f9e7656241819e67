// A place in somebody's source file. `Here` captures the caller's place when used as a default
// argument; std::source_location is missing in Clang 14.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// The text of a file that is at hand, so that messages can quote it.
struct SourceText {
  std::string file;  // as the user named it
  std::vector<std::string> lines;
};

struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;  // 1-based, in characters; 0 when the front end has none (C++ callers)
  std::shared_ptr<const SourceText> source = nullptr;  // null for C++ programs

  bool known() const { return line != 0; }
  std::string text() const;
  // The source line with a caret under the column, two lines; empty without a source.
  std::string excerpt() const;
  friend bool operator==(const Place& a, const Place& b) {
    return a.line == b.line && a.column == b.column && a.file == b.file;
  }
};

struct Here {
  const char* file;
  uint32_t line;

  Here(const char* f = __builtin_FILE(), uint32_t l = __builtin_LINE()) : file(f), line(l) {}
  Place place() const { return {file, line, 0}; }
};

}  // namespace tilewright
