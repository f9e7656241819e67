#include "tilewright/tokens/grammar/nfa.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"

namespace tilewright::tokens::grammar {
namespace {

constexpr std::size_t kMostStates = 250'000;
constexpr std::size_t kMostNodes = 500'000;
constexpr std::size_t kMostWork = 40'000'000;
constexpr std::size_t kMostCalls = 128;

[[noreturn]] void refuse_size(const std::string& origin, const std::string& what) {
  user_error("schema-size", what, "at " + origin,
             fmt::format("a grammar has at most {} states, and making it takes bounded work",
                         kMostStates),
             "use fewer properties and values, smaller counts in patterns, and fewer alternatives "
             "that begin alike");
}

}  // namespace

void Budget::states(std::size_t count) {
  states_ += count;
  if (states_ > kMostStates)
    refuse_size(origin_, fmt::format("the schema needs more than {} states", kMostStates));
}

void Budget::nodes(std::size_t count) {
  nodes_ += count;
  if (nodes_ > kMostNodes)
    refuse_size(origin_, fmt::format("the schema needs more than {} nodes", kMostNodes));
}

void Budget::work(std::size_t count) {
  work_ += count;
  if (work_ > kMostWork)
    refuse_size(origin_, fmt::format("the schema needs more than {} steps to compile", kMostWork));
}

void Budget::calls(std::size_t of_one_state) const {
  if (of_one_state > kMostCalls)
    refuse_size(origin_, fmt::format("more than {} alternatives begin alike", kMostCalls));
}

Nfa::Node Nfa::add() {
  budget_->nodes(1);
  nodes_.emplace_back();
  return static_cast<Node>(nodes_.size() - 1);
}

void Nfa::edge(Node from, Node to, Symbol low, Symbol high, Guard guard, bool counts) {
  nodes_[from].edges.push_back({low, high, guard, counts, to});
}

void Nfa::empty(Node from, Node to) { nodes_[from].empties.push_back(to); }

void Nfa::call(Node from, Node to, RuleId rule, bool counts) {
  nodes_[from].calls.push_back({rule, to, counts});
}

Nfa::Node Nfa::byte(Node from, char c, Guard guard) {
  const Node to = add();
  const auto symbol = static_cast<Symbol>(static_cast<unsigned char>(c));
  edge(from, to, symbol, symbol, guard);
  return to;
}

Nfa::Node Nfa::text(Node from, std::string_view text, Guard first) {
  for (const char c : text) {
    from = byte(from, c, first);
    first = Guard::None;
  }
  return from;
}

// The subset construction. A call is one more symbol; calls of different rules in one state are
// left to the matcher.
class Determinizer {
 public:
  Determinizer(Automaton& automaton, RuleId rule, const Nfa& nfa, Budget& budget)
      : a_(automaton), rule_(rule), nfa_(nfa), budget_(budget), seen_(nfa.nodes_.size()) {}

  void run() {
    a_.rules[rule_].start = state_of({nfa_.start()});
    for (std::size_t i = 0; i < subsets_.size(); ++i) expand(i);
  }

 private:
  using Subset = std::vector<Nfa::Node>;

  // Nodes that do something, reached without a symbol; sorted.
  Subset closure(const Subset& from) {
    ++stamp_;
    Subset work, out;
    const auto reach = [&](Nfa::Node n) {
      if (seen_[n] == stamp_) return;
      seen_[n] = stamp_;
      work.push_back(n);
    };
    for (const Nfa::Node n : from) reach(n);
    while (!work.empty()) {
      const Nfa::Node n = work.back();
      work.pop_back();
      const auto& node = nfa_.nodes_[n];
      budget_.work(1 + node.empties.size());
      if (!node.edges.empty() || !node.calls.empty() || node.accepts) out.push_back(n);
      for (const Nfa::Node to : node.empties) reach(to);
    }
    std::ranges::sort(out);
    return out;
  }

  StateId state_of(const Subset& nodes) {
    Subset key = closure(nodes);
    budget_.work(key.size());
    const auto next = static_cast<StateId>(a_.states.size());
    const auto [at, is_new] = states_.try_emplace(std::move(key), next);
    if (!is_new) return at->second;
    budget_.states(1);
    State state;
    state.rule = rule_;
    for (const Nfa::Node n : at->first) state.accepts |= nfa_.nodes_[n].accepts;
    a_.states.push_back(state);
    subsets_.push_back({&at->first, next});
    return next;
  }

  void expand(std::size_t index) {
    const auto [nodes, state] = subsets_[index];
    std::vector<Edge> edges = merged_edges(*nodes);
    std::vector<Call> calls = merged_calls(*nodes);
    State& s = a_.states[state];
    s.first_edge = static_cast<uint32_t>(a_.edges.size());
    s.edges = static_cast<uint32_t>(edges.size());
    s.first_call = static_cast<uint32_t>(a_.calls.size());
    s.calls = static_cast<uint32_t>(calls.size());
    a_.edges.insert(a_.edges.end(), edges.begin(), edges.end());
    a_.calls.insert(a_.calls.end(), calls.begin(), calls.end());
  }

  std::vector<Edge> merged_edges(const Subset& nodes) {
    std::vector<const Edge*> all;
    for (const Nfa::Node n : nodes)
      for (const Edge& e : nfa_.nodes_[n].edges) all.push_back(&e);
    std::ranges::sort(all, {}, [](const Edge* e) { return e->low; });
    std::vector<Symbol> cuts;  // where what is possible changes
    for (const Edge* e : all) {
      cuts.push_back(e->low);
      cuts.push_back(static_cast<Symbol>(e->high + 1));
    }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
    std::vector<Edge> out;
    std::vector<const Edge*> active;
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::erase_if(active, [&](const Edge* e) { return e->high < cuts[i]; });
      for (; next < all.size() && all[next]->low <= cuts[i]; ++next) active.push_back(all[next]);
      budget_.work(1 + active.size());
      if (active.empty()) continue;
      Subset targets;
      for (const Edge* e : active) {
        check(e->guard == active[0]->guard && e->counts == active[0]->counts,
              "edges of one symbol agree about the count");
        targets.push_back(e->target);
      }
      const Edge merged{cuts[i], static_cast<Symbol>(cuts[i + 1] - 1), active[0]->guard,
                        active[0]->counts, state_of(targets)};
      if (!out.empty() && out.back().high + 1 == merged.low && out.back().target == merged.target &&
          out.back().guard == merged.guard && out.back().counts == merged.counts)
        out.back().high = merged.high;
      else
        out.push_back(merged);
    }
    return out;
  }

  std::vector<Call> merged_calls(const Subset& nodes) {
    std::map<std::pair<RuleId, bool>, Subset> by_rule;
    for (const Nfa::Node n : nodes)
      for (const Call& c : nfa_.nodes_[n].calls) by_rule[{c.rule, c.counts}].push_back(c.back);
    budget_.calls(by_rule.size());
    std::vector<Call> out;
    for (const auto& [key, backs] : by_rule)
      out.push_back({key.first, state_of(backs), key.second});
    return out;
  }

  Automaton& a_;
  RuleId rule_;
  const Nfa& nfa_;
  Budget& budget_;
  std::vector<uint32_t> seen_;
  uint32_t stamp_ = 0;
  std::map<Subset, StateId> states_;
  std::vector<std::pair<const Subset*, StateId>>
      subsets_;  // keys of `states_`, which stay in place
};

void append_rule(Automaton& automaton, RuleId rule, const Nfa& nfa, Budget& budget) {
  Determinizer(automaton, rule, nfa, budget).run();
}

}  // namespace tilewright::tokens::grammar
