// Rules as they are written down: nondeterministic automata, which `Rules` makes deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tokens/grammar/automaton.h"

namespace tilewright::tokens::grammar {

// What a grammar may cost, so that a hostile one ends in an error and not in a hang.
class Budget {
 public:
  explicit Budget(std::string origin) : origin_(std::move(origin)) {}

  const std::string& origin() const { return origin_; }
  // Throw UserError when there is too much of it: states of the grammar, nodes of what it is made
  // from, and steps of the way there.
  void states(std::size_t count);
  void nodes(std::size_t count);
  void work(std::size_t count);
  // The calls of one state: each is a run of its own, and they cost time with every token.
  void calls(std::size_t of_one_state) const;

 private:
  std::string origin_;
  std::size_t states_ = 0, nodes_ = 0, work_ = 0;
};

// A rule in the making. Nodes are numbers; node 0 is the start.
class Nfa {
 public:
  using Node = uint32_t;

  explicit Nfa(Budget& budget) : budget_(&budget) { add(); }

  Node start() const { return 0; }
  Node add();
  void edge(Node from, Node to, Symbol low, Symbol high, Guard guard = Guard::None,
            bool counts = false);
  void empty(Node from, Node to);
  void call(Node from, Node to, RuleId rule, bool counts = false);
  void accept(Node node) { nodes_[node].accepts = true; }

  // The node behind `text`.
  Node text(Node from, std::string_view text, Guard first = Guard::None);
  Node byte(Node from, char c, Guard guard = Guard::None);

 private:
  friend class Determinizer;
  struct NodeData {
    std::vector<Edge> edges;
    std::vector<Node> empties;
    std::vector<Call> calls;
    bool accepts = false;
  };

  Budget* budget_;
  std::vector<NodeData> nodes_;
};

// Appends the deterministic form of `nfa` to the automaton as the states of `rule`.
void append_rule(Automaton& automaton, RuleId rule, const Nfa& nfa, Budget& budget);

}  // namespace tilewright::tokens::grammar
