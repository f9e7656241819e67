#include "tilewright/tokens/grammar/numbers.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright::tokens::grammar {
namespace {

using Node = Nfa::Node;

void add_digits(Nfa& nfa, Node from, Node to, char low = '0') {
  nfa.edge(from, to, static_cast<uint8_t>(low), '9');
}

// How the digits read so far, of a number without sign, stand to a bound. The number of digits of a
// whole part decides first, so the comparison is open until it ends.
struct Standing {
  enum class Part : uint8_t { Whole, Fraction };
  Part part = Part::Whole;
  std::size_t digits = 0;  // of this part; one more than the bound has, at most
  int order = 0;           // of these digits to the bound's: -1, 0, 1

  friend auto operator<=>(const Standing&, const Standing&) = default;
};

Standing after_digit(Standing s, char digit, const Decimal& bound) {
  const std::string& part = s.part == Standing::Part::Whole ? bound.whole : bound.fraction;
  const char other = s.digits < part.size() ? part[s.digits] : '0';
  if (s.order == 0 && (s.part == Standing::Part::Fraction || s.digits < part.size()))
    s.order = digit < other ? -1 : digit > other ? 1 : 0;
  if (s.digits <= part.size()) ++s.digits;
  return s;
}

// What follows is the fraction, or nothing.
Standing after_whole(const Standing& s, const Decimal& bound) {
  const std::size_t size = bound.whole.size();
  return {Standing::Part::Fraction, 0, s.digits < size ? -1 : s.digits > size ? 1 : s.order};
}

int final_order(Standing s, const Decimal& bound) {
  if (s.part == Standing::Part::Whole) s = after_whole(s, bound);
  return s.order == 0 && s.digits < bound.fraction.size() ? -1 : s.order;
}

// Numbers without sign between two bounds that are not negative.
class Between {
 public:
  Between(Nfa& nfa, const NumberRange& range, bool fractions, Budget& budget)
      : nfa_(nfa), range_(range), fractions_(fractions), budget_(budget) {}

  void add(Node from, Node to) {
    to_ = to;
    nfa_.empty(from, node_of({Form::Begin, {}, {}}));
    while (!work_.empty()) {
      const auto [state, node] = work_.back();
      work_.pop_back();
      expand(state, node);
    }
  }

 private:
  enum class Form : uint8_t { Begin, Zero, Whole, Point, Fraction };
  struct State {
    Form form = Form::Begin;
    Standing low, high;
    friend auto operator<=>(const State&, const State&) = default;
  };

  Node node_of(const State& state) {
    const auto [at, is_new] = nodes_.try_emplace(state, 0);
    if (is_new) {
      budget_.work(10);
      at->second = nfa_.add();
      work_.push_back({state, at->second});
    }
    return at->second;
  }

  bool ends(const State& s) const {
    if (s.form == Form::Begin || s.form == Form::Point) return false;
    if (range_.low) {
      const int order = final_order(s.low, range_.low->value);
      if (order < 0 || (order == 0 && range_.low->exclusive)) return false;
    }
    if (range_.high) {
      const int order = final_order(s.high, range_.high->value);
      if (order > 0 || (order == 0 && range_.high->exclusive)) return false;
    }
    return true;
  }

  void expand(const State& s, Node node) {
    if (ends(s)) nfa_.empty(node, to_);
    if (s.form != Form::Zero)
      for (char digit = '0'; digit <= '9'; ++digit) {
        State next = s;
        if (s.form == Form::Begin) next.form = digit == '0' ? Form::Zero : Form::Whole;
        if (s.form == Form::Point) next.form = Form::Fraction;
        if (range_.low) next.low = after_digit(s.low, digit, range_.low->value);
        if (range_.high) next.high = after_digit(s.high, digit, range_.high->value);
        const auto symbol = static_cast<Symbol>(digit);
        nfa_.edge(node, node_of(next), symbol, symbol);
      }
    if (fractions_ && (s.form == Form::Zero || s.form == Form::Whole)) {
      State next = s;
      next.form = Form::Point;
      if (range_.low) next.low = after_whole(s.low, range_.low->value);
      if (range_.high) next.high = after_whole(s.high, range_.high->value);
      nfa_.edge(node, node_of(next), '.', '.');
    }
  }

  Nfa& nfa_;
  const NumberRange& range_;
  bool fractions_;
  Budget& budget_;
  Node to_ = 0;
  std::map<State, Node> nodes_;
  std::vector<std::pair<State, Node>> work_;
};

Node add_between(Nfa& nfa, Node from, const NumberRange& range, bool fractions, Budget& budget) {
  const Node to = nfa.add();
  const NumberBound above_zero{{}, true};
  if (!range.high || !range.high->value.negative) {
    NumberRange r = range;
    if (r.low && r.low->value.negative) r.low.reset();
    Between(nfa, r, fractions, budget).add(from, to);
  }
  if (!range.low || range.low->value.negative) {
    NumberRange r{above_zero, std::nullopt};
    if (range.low) r.high = NumberBound{range.low->value.opposite(), range.low->exclusive};
    if (range.high && range.high->value.negative)
      r.low = NumberBound{range.high->value.opposite(), range.high->exclusive};
    Between(nfa, r, fractions, budget).add(nfa.byte(from, '-'), to);
  }
  return to;
}

}  // namespace

bool NumberRange::holds(const Decimal& d) const {
  if (low && (d < low->value || (low->exclusive && d == low->value))) return false;
  if (high && (d > high->value || (high->exclusive && d == high->value))) return false;
  return true;
}

Node add_integer(Nfa& nfa, Node from, const NumberRange& range, Budget& budget) {
  return add_between(nfa, from, range, false, budget);
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
Node add_number(Nfa& nfa, Node from, const NumberRange& range, Budget& budget) {
  if (range.is_bounded()) return add_between(nfa, from, range, true, budget);
  const Node to = nfa.add(), begin = nfa.add(), whole = nfa.add(), digits = nfa.add();
  nfa.empty(from, begin);
  nfa.edge(from, begin, '-', '-');
  nfa.edge(begin, whole, '0', '0');
  add_digits(nfa, begin, digits, '1');
  add_digits(nfa, digits, digits);
  nfa.empty(digits, whole);
  nfa.empty(whole, to);
  const Node fraction = nfa.add();
  add_digits(nfa, nfa.byte(whole, '.'), fraction);
  add_digits(nfa, fraction, fraction);
  nfa.empty(fraction, to);
  const Node exponent = nfa.add(), power = nfa.add(), signed_power = nfa.add();
  for (const Node n : {whole, fraction})
    for (const Symbol e : {'E', 'e'}) nfa.edge(n, exponent, e, e);
  nfa.empty(exponent, signed_power);
  for (const Symbol sign : {'+', '-'}) nfa.edge(exponent, signed_power, sign, sign);
  add_digits(nfa, signed_power, power);
  add_digits(nfa, power, power);
  nfa.empty(power, to);
  return to;
}

}  // namespace tilewright::tokens::grammar
