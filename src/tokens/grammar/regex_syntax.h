// The syntax of patterns: a tree of what is matched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::tokens::grammar {

using CodeRange = std::pair<int32_t, int32_t>;  // both ends included

struct Regex {
  enum class Kind : uint8_t { Empty, Class, Sequence, Either, Repeat, Begin, End };

  Kind kind = Kind::Empty;
  std::vector<CodeRange> ranges;  // Class: ascending, apart
  std::vector<Regex> parts;       // Sequence, Either; Repeat: one
  uint32_t min = 0, max = 0;      // Repeat; kUnlimited = no end
};

// Throws UserError. `where` is the place of the pattern in its schema.
Regex parse_regex(std::string_view text, const std::string& where);

}  // namespace tilewright::tokens::grammar
