// The functions of Python that constants are computed with.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "tilewright/frontend/evaluate/evaluator.h"

namespace tilewright::frontend {

std::optional<Value> Evaluator::builtin(const std::string& callee, const std::vector<Value>& args,
                                        At at) const {
  const auto number_of = [&](std::size_t i) {
    const auto d = args.at(i).number();
    if (!d)
      fail(at, "constant", fmt::format("{} of {}", callee, kind_text(args[i])),
           "Python computes this before the program exists", "use constants");
    return *d;
  };
  const auto whole = [&](double v) -> Value {
    if (!(std::abs(v) < 0x1p62))
      fail(at, "constant", fmt::format("{} of a number that fits no integer", callee),
           "integers have 64 bits", "check the number");
    return {ir::Expr(static_cast<int64_t>(v))};
  };
  const std::size_t n = args.size();
  if ((callee == "max" || callee == "min") && n >= 2) {
    Value best = args[0];
    double best_number = number_of(0);
    for (std::size_t i = 1; i < n; ++i)
      if (callee == "max" ? number_of(i) > best_number : number_of(i) < best_number) {
        best = args[i];
        best_number = number_of(i);
      }
    return best;
  }
  if (n == 1) {
    const Value& x = args[0];
    if (callee == "len" && x.as<List>())
      return Value{ir::Expr(static_cast<int64_t>(x.as<List>()->items.size()))};
    if (callee == "float" && x.as<std::string>()) {
      const std::string& s = *x.as<std::string>();
      if (s == "inf" || s == "+inf") return Value{HUGE_VAL};
      if (s == "-inf") return Value{-HUGE_VAL};
      return Value{std::strtod(s.c_str(), nullptr)};
    }
    if (callee == "int" && x.as<std::string>())
      return Value{
          ir::Expr(static_cast<int64_t>(std::strtoll(x.as<std::string>()->c_str(), nullptr, 10)))};
    if (callee == "int") return x.integer() ? x : whole(std::trunc(number_of(0)));
    if (callee == "float") return Value{number_of(0)};
    if (callee == "bool") return Value{truth(x, at)};
    if (callee == "abs")
      return x.integer() ? whole(std::abs(number_of(0))) : Value{std::abs(number_of(0))};
    if (callee == "round") return whole(std::nearbyint(number_of(0)));
    if (callee == "math.ceil") return whole(std::ceil(number_of(0)));
    if (callee == "math.floor") return whole(std::floor(number_of(0)));
    if (callee == "math.sqrt" || callee == "sqrt") return Value{std::sqrt(number_of(0))};
    if (callee == "math.log2") return Value{std::log2(number_of(0))};
    if (callee == "math.log") return Value{std::log(number_of(0))};
    if (callee == "math.exp") return Value{std::exp(number_of(0))};
  }
  if (n == 2 && (callee == "math.pow" || callee == "pow"))
    return Value{std::pow(number_of(0), number_of(1))};
  return std::nullopt;
}

}  // namespace tilewright::frontend
