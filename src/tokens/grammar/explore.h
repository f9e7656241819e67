// Walks over the tree of tokens with one place of an automaton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tilewright/tokens/constraint.h"
#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/grammar/vocabulary.h"

namespace tilewright::tokens::grammar {

// Tokens that stay in plain states are allowed. At an exit the rule may end or call another, and
// what follows below that node of the tree depends on the stack.
struct Explored {
  struct Exit {
    uint32_t node = 0;
    Place place;
  };
  explicit Explored(std::size_t vocab) : allowed(vocab) {}

  TokenSet allowed;
  std::vector<Exit> exits;  // those with tokens below
  std::size_t visited = 0;  // nodes
};

// From `place` at `node`; the place is left by symbols only. `skip_characters`: leaves out what is
// below nodes with tokens of whole characters alone, which are known to be allowed.
void explore(const Automaton& automaton, const TokenTree& tree, uint32_t node, Place place,
             Explored& out, bool skip_characters = false);

}  // namespace tilewright::tokens::grammar
