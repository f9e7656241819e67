// JSON numbers as bytes, within bounds that are exact.
#pragma once

#include <optional>

#include "tilewright/tokens/grammar/decimal.h"
#include "tilewright/tokens/grammar/nfa.h"

namespace tilewright::tokens::grammar {

struct NumberBound {
  Decimal value;
  bool exclusive = false;
};

struct NumberRange {
  std::optional<NumberBound> low, high;

  bool is_bounded() const { return low || high; }
  bool holds(const Decimal& d) const;
};

// The node behind a number. An integer has no fraction, no exponent, and zero has no sign. A number
// that is bounded has no exponent, and zero has no sign.
Nfa::Node add_integer(Nfa& nfa, Nfa::Node from, const NumberRange& range, Budget& budget);
Nfa::Node add_number(Nfa& nfa, Nfa::Node from, const NumberRange& range, Budget& budget);

}  // namespace tilewright::tokens::grammar
