#include "tilewright/tokens/grammar/explore.h"

namespace tilewright::tokens::grammar {

void explore(const Automaton& automaton, const TokenTree& tree, uint32_t node, Place place,
             Explored& out, bool skip_characters) {
  const uint32_t base = tree.nodes[node].depth;
  std::vector<Place> path{place};  // by depth below `node`
  const uint32_t end = tree.nodes[node].end;
  for (uint32_t n = node + 1; n < end;) {
    const TokenTree::Node& here = tree.nodes[n];
    ++out.visited;
    if (skip_characters && !here.not_only_characters) {
      n = here.end;
      continue;
    }
    const uint32_t depth = here.depth - base;
    Place next = path[depth - 1];
    if (!advance(automaton, next, here.symbol)) {
      n = here.end;
      continue;
    }
    for (const int32_t id : tree.tokens_of(n)) out.allowed.add(id);
    if (automaton.is_plain(automaton.states[next.state])) {
      if (path.size() <= depth) path.resize(depth + 1);
      path[depth] = next;
      ++n;
    } else {
      if (!tree.is_leaf(n)) out.exits.push_back({n, next});
      n = here.end;
    }
  }
}

}  // namespace tilewright::tokens::grammar
