// Writes the rules of a grammar for the values that schemas ask for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tilewright/tokens/grammar/alternatives.h"
#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/grammar/nfa.h"

namespace tilewright::tokens::grammar {

class RuleWriter {
 public:
  explicit RuleWriter(Budget& budget) : budget_(budget) {}

  // The rule of a JSON value; `write_all` writes those that were asked for.
  RuleId value(const Schemas& schemas);
  // A rule of any other form.
  RuleId add_rule(const Nfa& nfa);
  // Writes the rest, and makes an automaton with this root. `trim` is the caller's.
  Automaton finish(const Nfa& root);

  // Pieces of rules; each gives the node behind it. White space is nothing, a space, or a new line
  // with an indent.
  Nfa::Node space(Nfa& nfa, Nfa::Node from);
  Nfa::Node close(Nfa& nfa, Nfa::Node from, char bracket, Guard guard = Guard::None);
  static Nfa::Node colon(Nfa& nfa, Nfa::Node from);  // with a space or without
  static Nfa::Node name(Nfa& nfa, Nfa::Node from, std::string_view text);  // and the colon

  Budget& budget() { return budget_; }

 private:
  using Node = Nfa::Node;

  RuleId reserve_rule();
  void write(RuleId rule, const Nfa& nfa) { append_rule(automaton_, rule, nfa, budget_); }
  void write_value(RuleId rule, const Schemas& schemas);
  Node add_alternative(Nfa& nfa, Node from, const Alternative& a);
  Node add_values(Nfa& nfa, Node from, const Alternative& a);
  Node add_literal(Nfa& nfa, Node from, const SchemaNode& value);
  Node add_string(Nfa& nfa, Node from, const Alternative& a);
  Node add_array(Nfa& nfa, Node from, const Alternative& a);
  Node add_object(Nfa& nfa, Node from, const Alternative& a);
  Node add_more_members(Nfa& nfa, Node from, const Alternative& a);
  RuleId indent();
  RuleId any_string(uint32_t min, uint32_t max);
  RuleId pattern_string(const Alternative& a);
  RuleId items(const Alternative& a);

  Budget& budget_;
  Automaton automaton_;
  std::map<Schemas, RuleId> values_;
  std::vector<std::pair<RuleId, Schemas>> unwritten_;
  std::map<std::pair<uint32_t, uint32_t>, RuleId> strings_;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, RuleId> patterns_;
  std::optional<RuleId> indent_;
};

}  // namespace tilewright::tokens::grammar
