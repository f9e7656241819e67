// Regular expressions as automata over characters: the part of ECMA-262 that is regular, as JSON
// schemas write it in "pattern".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tokens/grammar/nfa.h"

namespace tilewright::tokens::grammar {

// Adds, behind `from`, the texts in which `regex` matches somewhere (anchors hold it to the ends)
// and that have `min` to `max` characters, in their one spelling. Gives the node behind them.
// Throws UserError with the place in the pattern; `where` says where the schema has it.
Nfa::Node add_pattern(Nfa& nfa, Nfa::Node from, std::string_view regex, uint32_t min, uint32_t max,
                      const std::string& where, Budget& budget);

}  // namespace tilewright::tokens::grammar
