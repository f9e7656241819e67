#include "tilewright/tokens/grammar/automaton.h"

namespace tilewright::tokens::grammar {
namespace {

// Which states reach an end of their rule. A call is passed when its rule has a text, which is when
// the rule's start reaches an end, and when the state behind the call reaches one.
class Reaching {
 public:
  explicit Reaching(const Automaton& a)
      : a_(a), reaches_(a.states.size()), before_(a.states.size()), callers_(a.rules.size()) {
    for (StateId s = 0; s < a.states.size(); ++s) {
      for (const Edge& e : a.edges_of(a.states[s])) before_[e.target].push_back(s);
      for (const Call& c : a.calls_of(a.states[s])) {
        returns_to(c.back).push_back({s, c});
        callers_[c.rule].push_back({s, c});
      }
      if (a.states[s].accepts) mark(s);
    }
    while (!work_.empty()) {
      const StateId s = work_.back();
      work_.pop_back();
      spread(s);
    }
  }

  bool state(StateId s) const { return reaches_[s]; }
  bool rule(RuleId r) const { return reaches_[a_.rules[r].start]; }

 private:
  struct Caller {
    StateId state = 0;
    Call call;
  };

  std::vector<Caller>& returns_to(StateId s) {
    if (returns_.empty()) returns_.resize(a_.states.size());
    return returns_[s];
  }
  void mark(StateId s) {
    if (reaches_[s]) return;
    reaches_[s] = true;
    work_.push_back(s);
  }
  void spread(StateId s) {
    for (const StateId p : before_[s]) mark(p);
    if (!returns_.empty())
      for (const Caller& c : returns_[s])
        if (rule(c.call.rule)) mark(c.state);
    const RuleId own = a_.states[s].rule;
    if (a_.rules[own].start == s)
      for (const Caller& c : callers_[own])
        if (reaches_[c.call.back]) mark(c.state);
  }

  const Automaton& a_;
  std::vector<bool> reaches_;
  std::vector<std::vector<StateId>> before_;
  std::vector<std::vector<Caller>> callers_;  // by rule
  std::vector<std::vector<Caller>> returns_;  // by the state behind the call
  std::vector<StateId> work_;
};

}  // namespace

bool trim(Automaton& a) {
  const Reaching reaching(a);
  std::vector<Edge> edges;
  std::vector<Call> calls;
  for (State& s : a.states) {
    const auto first_edge = static_cast<uint32_t>(edges.size());
    const auto first_call = static_cast<uint32_t>(calls.size());
    for (const Edge& e : a.edges_of(s))
      if (reaching.state(e.target)) edges.push_back(e);
    for (const Call& c : a.calls_of(s))
      if (reaching.state(c.back) && reaching.rule(c.rule)) calls.push_back(c);
    s.first_edge = first_edge;
    s.edges = static_cast<uint32_t>(edges.size()) - first_edge;
    s.first_call = first_call;
    s.calls = static_cast<uint32_t>(calls.size()) - first_call;
  }
  a.edges = std::move(edges);
  a.calls = std::move(calls);
  return reaching.rule(a.root);
}

}  // namespace tilewright::tokens::grammar
