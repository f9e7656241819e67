#include "tilewright/tokens/grammar/decimal.h"

#include <charconv>
#include <cstdint>

namespace tilewright::tokens::grammar {
namespace {

constexpr int64_t kMostDigits = 400;  // more than a double has

std::strong_ordering compare_sizes(const Decimal& a, const Decimal& b) {
  if (const auto c = a.whole.size() <=> b.whole.size(); c != 0) return c;
  if (const auto c = a.whole.compare(b.whole) <=> 0; c != 0) return c;
  return a.fraction.compare(b.fraction) <=> 0;  // no zeros at the end
}

}  // namespace

Decimal Decimal::opposite() const {
  Decimal out = *this;
  out.negative = !negative && !is_zero();
  return out;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.negative != b.negative)
    return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

std::optional<Decimal> decimal_of(std::string_view word) {
  Decimal out;
  out.negative = word.starts_with('-');
  if (out.negative) word.remove_prefix(1);
  int64_t exponent = 0;
  if (const auto e = word.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = word.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc() || exponent < -kMostDigits || exponent > kMostDigits)
      return std::nullopt;
    word = word.substr(0, e);
  }
  const auto point = word.find('.');
  std::string digits(word.substr(0, point));
  auto whole_digits = static_cast<int64_t>(digits.size()) + exponent;
  if (point != std::string_view::npos) digits += word.substr(point + 1);
  if (static_cast<int64_t>(digits.size()) > kMostDigits) return std::nullopt;
  if (whole_digits < 0) {
    digits.insert(0, static_cast<std::size_t>(-whole_digits), '0');
    whole_digits = 0;
  }
  const auto cut = static_cast<std::size_t>(whole_digits);
  if (digits.size() < cut) digits.append(cut - digits.size(), '0');
  out.whole = digits.substr(0, cut);
  out.fraction = digits.substr(cut);
  out.whole.erase(0, out.whole.find_first_not_of('0'));
  if (out.whole.empty()) out.whole = "0";
  while (out.fraction.ends_with('0')) out.fraction.pop_back();
  if (out.is_zero()) out.negative = false;
  return out;
}

}  // namespace tilewright::tokens::grammar
