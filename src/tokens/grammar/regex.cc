#include "tilewright/tokens/grammar/regex.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tilewright/tokens/grammar/regex_syntax.h"
#include "tilewright/tokens/grammar/strings.h"

namespace tilewright::tokens::grammar {
namespace {

// A nondeterministic automaton over characters, with anchors.
struct CharacterNfa {
  struct Node {
    std::vector<std::pair<CodeRange, uint32_t>> edges;
    std::vector<uint32_t> empties, at_begin, at_end;  // the last two hold at the ends of the text
  };
  std::vector<Node> nodes;
};

class CharacterWriter {
 public:
  CharacterWriter(CharacterNfa& nfa, Budget& budget) : nfa_(nfa), budget_(budget) {}

  uint32_t add() {
    budget_.nodes(1);
    nfa_.nodes.emplace_back();
    return static_cast<uint32_t>(nfa_.nodes.size() - 1);
  }

  // The node behind `r`.
  uint32_t add(const Regex& r, uint32_t from) {
    switch (r.kind) {
      case Regex::Kind::Empty: return from;
      case Regex::Kind::Class: {
        const uint32_t to = add();
        for (const CodeRange& range : r.ranges) nfa_.nodes[from].edges.push_back({range, to});
        return to;
      }
      case Regex::Kind::Sequence:
        for (const Regex& part : r.parts) from = add(part, from);
        return from;
      case Regex::Kind::Either: {
        const uint32_t to = add();
        for (const Regex& part : r.parts) {
          const uint32_t first = add();
          nfa_.nodes[from].empties.push_back(first);
          const uint32_t last = add(part, first);
          nfa_.nodes[last].empties.push_back(to);
        }
        return to;
      }
      case Regex::Kind::Repeat: return repeat(r, from);
      case Regex::Kind::Begin:
      case Regex::Kind::End: {
        const uint32_t to = add();
        CharacterNfa::Node& node = nfa_.nodes[from];
        (r.kind == Regex::Kind::Begin ? node.at_begin : node.at_end).push_back(to);
        return to;
      }
    }
    return from;
  }

 private:
  uint32_t repeat(const Regex& r, uint32_t from) {
    const Regex& one = r.parts[0];
    budget_.work(r.min);  // what is repeated may be empty
    for (uint32_t i = 0; i < r.min; ++i) from = add(one, from);
    if (r.max == kUnlimited) {
      const uint32_t loop = add();
      nfa_.nodes[from].empties.push_back(loop);
      const uint32_t last = add(one, loop);
      nfa_.nodes[last].empties.push_back(loop);
      return loop;
    }
    const uint32_t to = add();
    for (uint32_t i = r.min; i < r.max; ++i) {
      nfa_.nodes[from].empties.push_back(to);
      const uint32_t first = add();
      nfa_.nodes[from].empties.push_back(first);
      from = add(one, first);
    }
    nfa_.nodes[from].empties.push_back(to);
    return to;
  }

  CharacterNfa& nfa_;
  Budget& budget_;
};

// The subset construction, with the number of characters beside it, written into an Nfa of bytes.
class PatternWriter {
 public:
  PatternWriter(const CharacterNfa& characters, uint32_t last, uint32_t min, uint32_t max, Nfa& nfa,
                Budget& budget)
      : c_(characters),
        last_(last),
        min_(min),
        max_(max),
        nfa_(nfa),
        budget_(budget),
        seen_(characters.nodes.size()) {}

  Nfa::Node write(Nfa::Node from) {
    const Nfa::Node to = nfa_.add();
    nfa_.empty(from, node_of(closure({0}, true, false), 0, true));
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const auto [state, node] = work_[i];
      const auto& [subset, count, begin] = *state;
      if (count >= min_ && accepts(subset, begin)) nfa_.empty(node, to);
      if (count < max_) add_edges(subset, count, node);
    }
    return to;
  }

 private:
  using Subset = std::vector<uint32_t>;
  struct State {
    Subset subset;
    uint32_t count = 0;
    bool begin = false;
    friend auto operator<=>(const State&, const State&) = default;
  };

  Subset closure(const Subset& from, bool begin, bool end) {
    ++stamp_;
    Subset out;
    const auto reach = [&](uint32_t n) {
      if (seen_[n] == stamp_) return;
      seen_[n] = stamp_;
      out.push_back(n);
    };
    for (const uint32_t n : from) reach(n);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const CharacterNfa::Node& node = c_.nodes[out[i]];
      budget_.work(1 + node.empties.size());
      for (const uint32_t to : node.empties) reach(to);
      if (begin)
        for (const uint32_t to : node.at_begin) reach(to);
      if (end)
        for (const uint32_t to : node.at_end) reach(to);
    }
    std::ranges::sort(out);
    return out;
  }

  bool accepts(const Subset& subset, bool begin) {
    return std::ranges::binary_search(closure(subset, begin, true), last_);
  }

  Nfa::Node node_of(Subset subset, uint32_t count, bool begin) {
    budget_.work(subset.size());
    const auto [at, is_new] = nodes_.try_emplace({std::move(subset), count, begin}, 0);
    if (is_new) {
      at->second = nfa_.add();
      work_.push_back({&at->first, at->second});
    }
    return at->second;
  }

  void add_edges(const Subset& subset, uint32_t count, Nfa::Node node) {
    std::vector<std::pair<CodeRange, uint32_t>> edges;
    std::vector<int32_t> cuts;
    for (const uint32_t n : subset)
      for (const auto& edge : c_.nodes[n].edges) {
        edges.push_back(edge);
        cuts.push_back(edge.first.first);
        cuts.push_back(edge.first.second + 1);
      }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
    const uint32_t next = max_ != kUnlimited ? count + 1 : std::min(count + 1, min_);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      Subset targets;
      budget_.work(edges.size());
      for (const auto& [range, to] : edges)
        if (range.first <= cuts[i] && cuts[i] <= range.second) targets.push_back(to);
      if (targets.empty()) continue;
      add_characters(nfa_, node, node_of(closure(targets, false, false), next, false), cuts[i],
                     cuts[i + 1] - 1);
    }
  }

  const CharacterNfa& c_;
  uint32_t last_, min_, max_;
  Nfa& nfa_;
  Budget& budget_;
  std::vector<uint32_t> seen_;
  uint32_t stamp_ = 0;
  std::map<State, Nfa::Node> nodes_;
  std::vector<std::pair<const State*, Nfa::Node>> work_;  // keys of `nodes_`, which stay in place
};

}  // namespace

Nfa::Node add_pattern(Nfa& nfa, Nfa::Node from, std::string_view regex, uint32_t min, uint32_t max,
                      const std::string& where, Budget& budget) {
  constexpr CodeRange kAny{0, kLastCode};
  CharacterNfa characters;
  CharacterWriter builder(characters, budget);
  const uint32_t before = builder.add();  // any text in front of the match
  characters.nodes[before].edges.push_back({kAny, before});
  const uint32_t behind = builder.add(parse_regex(regex, where), before);
  const uint32_t last = builder.add();  // any text behind it
  characters.nodes[behind].empties.push_back(last);
  characters.nodes[last].edges.push_back({kAny, last});
  return PatternWriter(characters, last, min, max, nfa, budget).write(from);
}

}  // namespace tilewright::tokens::grammar
