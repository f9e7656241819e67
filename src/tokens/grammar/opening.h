// Free text in front of what a grammar restricts.
#pragma once

#include <optional>
#include <string_view>

#include "tilewright/tokens/grammar/grammar.h"
#include "tilewright/tokens/grammar/nfa.h"

namespace tilewright::tokens::grammar {

// Any text from `from` up to the first `marker`, and the node behind the marker. Tokens without
// text do not interrupt a marker. `may_end`: the text may also end before a marker came; `also` is
// a token that is a marker, too.
Nfa::Node add_free_text(Nfa& nfa, Nfa::Node from, std::string_view marker, bool may_end,
                        std::optional<Symbol> also = std::nullopt);

// What comes before a document: perhaps the rest of the thoughts, then at most two new lines or one
// space.
Nfa::Node add_opening(Nfa& nfa, Nfa::Node from, Opening opening);

}  // namespace tilewright::tokens::grammar
