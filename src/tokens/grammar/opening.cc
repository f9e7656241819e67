#include "tilewright/tokens/grammar/opening.h"

#include <algorithm>
#include <vector>

namespace tilewright::tokens::grammar {

// The automaton of Knuth, Morris and Pratt: node k has read the first k characters of the marker.
Nfa::Node add_free_text(Nfa& nfa, Nfa::Node from, std::string_view marker, bool may_end,
                        std::optional<Symbol> also) {
  std::vector<Nfa::Node> read;
  for (std::size_t k = 0; k <= marker.size(); ++k) read.push_back(nfa.add());
  const Nfa::Node done = read.back();
  nfa.empty(from, read[0]);
  std::size_t fallback = 0;  // the longest marker beginning that ends the first k characters
  std::vector<std::size_t> fallbacks{0};
  for (std::size_t k = 0; k < marker.size(); ++k) {
    if (k != 0) {
      if (k > 1) {
        while (fallback != 0 && marker[fallback] != marker[k - 1]) fallback = fallbacks[fallback];
        if (marker[fallback] == marker[k - 1]) ++fallback;
      }
      fallbacks.push_back(fallback);
    }
    const auto next = [&](char c) {
      std::size_t at = k;
      while (at != 0 && marker[at] != c) at = fallbacks[at];
      return marker[at] == c ? at + 1 : 0;
    };
    for (int first = 0; first < 256;) {
      const std::size_t to = next(static_cast<char>(first));
      int last = first;
      while (last + 1 < 256 && next(static_cast<char>(last + 1)) == to) ++last;
      nfa.edge(read[k], read[to], static_cast<Symbol>(first), static_cast<Symbol>(last));
      first = last + 1;
    }
    for (Symbol s = kToolCalls; s < kSymbols; ++s)
      nfa.edge(read[k], also == s ? done : read[k], s, s);
    if (may_end) nfa.accept(read[k]);
  }
  return done;
}

Nfa::Node add_opening(Nfa& nfa, Nfa::Node from, Opening opening) {
  if (opening == Opening::Reasoning) from = add_free_text(nfa, from, "</think>", false);
  const Nfa::Node to = nfa.byte(from, ' '), line = nfa.byte(from, '\n'),
                  second = nfa.byte(line, '\n');
  for (const Nfa::Node n : {from, line, second}) nfa.empty(n, to);
  return to;
}

}  // namespace tilewright::tokens::grammar
