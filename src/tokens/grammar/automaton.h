// A grammar as data: rules, each a deterministic automaton over symbols that may call other rules.
// What a call returns to is kept on a stack, so texts may nest without bound.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tilewright::tokens::grammar {

// Bytes are symbols 0 to 255. Tokens that are not text follow: those that open calls of tools, and
// all others.
using Symbol = uint16_t;
inline constexpr Symbol kToolCalls = 256;     // "[TOOL_CALLS]"
inline constexpr Symbol kPythonTag = 257;     // "<|python_tag|>"
inline constexpr Symbol kOtherControl = 258;  // any other token without text, but no end token
inline constexpr Symbol kSymbols = 259;

using StateId = uint32_t;
using RuleId = uint32_t;

inline constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();

// A rule may count, such as the characters of a string or the items of an array. What an edge asks
// of the count so far.
enum class Guard : uint8_t {
  None,
  More,    // less than the rule's maximum
  Enough,  // at least the rule's minimum
};

struct Edge {
  Symbol low = 0, high = 0;
  Guard guard = Guard::None;
  bool counts = false;  // the count grows by one
  StateId target = 0;
};

struct Call {
  RuleId rule = 0;
  StateId back = 0;
  bool counts = false;  // the count grows by one when the call is back
};

struct State {
  uint32_t first_edge = 0, edges = 0;
  uint32_t first_call = 0, calls = 0;
  RuleId rule = 0;
  bool accepts = false;  // the rule may end here
};

struct Rule {
  StateId start = 0;
  uint32_t min = 0, max = kUnlimited;  // of its count
  // Where the states of a string of any characters begin; their masks depend on the vocabulary
  // alone (string_masks.h).
  bool any_string = false;
};

struct Automaton {
  std::vector<State> states;
  std::vector<Edge> edges;  // of a state: ascending, apart
  std::vector<Call> calls;
  std::vector<Rule> rules;
  RuleId root = 0;

  std::span<const Edge> edges_of(const State& s) const {
    return std::span(edges).subspan(s.first_edge, s.edges);
  }
  std::span<const Call> calls_of(const State& s) const {
    return std::span(calls).subspan(s.first_call, s.calls);
  }
  // The text goes on in this rule, by an edge. The root returns nowhere.
  bool is_plain(const State& s) const { return s.calls == 0 && (!s.accepts || s.rule == root); }

  const Edge* find_edge(const State& s, Symbol symbol) const {
    for (const Edge& e : edges_of(s)) {
      if (symbol < e.low) return nullptr;
      if (symbol <= e.high) return &e;
    }
    return nullptr;
  }
};

// A place in a rule: a state, and the count so far.
struct Place {
  StateId state = 0;
  uint32_t count = 0;

  friend bool operator==(const Place&, const Place&) = default;
  friend auto operator<=>(const Place&, const Place&) = default;
};

inline uint32_t next_count(const Rule& rule, uint32_t count) {
  if (rule.max != kUnlimited) return count + 1;
  return count < rule.min ? count + 1 : count;  // only whether it is enough matters
}

// Moves along the edge of `symbol`; false when there is none.
inline bool advance(const Automaton& a, Place& place, Symbol symbol) {
  const State& state = a.states[place.state];
  const Edge* edge = a.find_edge(state, symbol);
  if (!edge) return false;
  if (edge->guard != Guard::None || edge->counts) {
    const Rule& rule = a.rules[state.rule];
    if (edge->guard == Guard::More && place.count >= rule.max) return false;
    if (edge->guard == Guard::Enough && place.count < rule.min) return false;
    if (edge->counts) place.count = next_count(rule, place.count);
  }
  place.state = edge->target;
  return true;
}

// Leaves out what no text can pass: states that never reach an end, and calls of rules without
// texts. False when the root has no text at all.
bool trim(Automaton& automaton);

}  // namespace tilewright::tokens::grammar
