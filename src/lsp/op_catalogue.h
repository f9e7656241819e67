// What the words of pl take and mean: operations from docs/language.md, which is compiled in, their
// arguments and the other words from the front end's own table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::lsp {

struct OpEntry {
  std::string name;  // after pl.
  std::string rule, meaning;
  bool operation = false;  // else a loop, a scope, a scalar
  std::vector<std::string> positional, keywords;

  std::string signature() const;  // "pl.slice(x, shape, offset, valid_shape, *, pad_value)"
};

// Every word, sorted by name.
const std::vector<OpEntry>& op_catalogue();
// Of "slice", "tile.load", "adds", ...; null when it is no word of pl.
const OpEntry* find_op(std::string_view word);

// Names after pl. that are no functions: element types, levels, memories.
const std::vector<std::string>& pl_constants();

}  // namespace tilewright::lsp
