// Decimal numbers of any length, exact: the bounds of numbers in schemas.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::tokens::grammar {

// Zero is not negative. No zeros lead the whole part or end the fraction.
struct Decimal {
  bool negative = false;
  std::string whole = "0", fraction;

  bool is_zero() const { return whole == "0" && fraction.empty(); }
  Decimal opposite() const;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

// A number as JSON writes it; nothing when its digits would be too many.
std::optional<Decimal> decimal_of(std::string_view word);

}  // namespace tilewright::tokens::grammar
