// The words of pl: what each takes, and for those that are no operations, what they mean. The
// lowering reads arguments by this table; editors offer it. What operations mean stands in
// docs/language.md.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/ir/op.h"

namespace tilewright::frontend {

struct Signature {
  std::vector<std::string_view> positional, keywords;
};

// pl.tile.load has an order of its own.
Signature op_signature(ir::OpKind kind, bool tile_load = false);

// Some operations have a second name, for a scalar as second operand or for one of their forms.
std::optional<ir::OpKind> op_spelled(std::string_view word);

// What to write instead of a word that other libraries have and pl has not: "pl.recip". Empty when
// unknown.
std::string_view replacement_for(std::string_view word);

// A word that is no operation: loops, scopes, scalars, tasks.
struct PlWord {
  std::string_view name;  // after pl.
  Signature signature;
  std::string_view meaning;
};
const std::vector<PlWord>& pl_words();
// Of a word in that table.
const Signature& word_signature(std::string_view word);

}  // namespace tilewright::frontend
