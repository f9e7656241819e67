// Numbers in the user's source files, and the files with these numbers replaced. The rest of a
// file stays unchanged, including line ends and comments.
#pragma once

#include <string>
#include <vector>

#include "tilewright/base/place.h"

namespace tilewright {

// A piece of source text where it stands.
struct Written {
  Place place;  // of its first character
  std::string text;
};

struct Replacement {
  Written old;
  std::string text;
};

// A file before and after a change.
struct SourceChange {
  std::string path;
  std::string before, after;
};

// The files that hold what is replaced, read again, in the order of their first replacement.
// UserError when a file cannot be read or no longer says what it said.
std::vector<SourceChange> replace_in_files(const std::vector<Replacement>& replacements);

}  // namespace tilewright
