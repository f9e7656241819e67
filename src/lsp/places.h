// The places that a message names: its fields, and where it has none, those found in its words:
// "at layer.py:20:24 and layer.py:22:43".
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/diagnostic.h"

namespace tilewright::lsp {

struct NamedPlace {
  std::string file;
  uint32_t line = 0, column = 0;  // from 1; column 0: the whole line
  std::string words;              // what the message says of it

  friend bool operator==(const NamedPlace& a, const NamedPlace& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
  }
};

// In the order of the text. `files` are the names that places can have.
std::vector<NamedPlace> places_in(std::string_view text, const std::set<std::string>& files);

// Where a diagnostic stands first, then every other place that it names: the second side of a race,
// what is alive at a memory's peak, where an undefined value comes from.
std::vector<NamedPlace> places_of(const Diagnostic& d, const std::set<std::string>& files);

// The text with the names of files cut to their last part.
std::string with_short_names(std::string text, const std::set<std::string>& files);

}  // namespace tilewright::lsp
