// Arithmetic, order and membership, as Python has them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/tokens/jinja/evaluate.h"

namespace tilewright::tokens::jinja {
namespace {

// Floor division and the remainder that goes with it.
int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

std::optional<Value> whole_numbers(const std::string& op, int64_t a, int64_t b) {
  int64_t out = 0;
  if (op == "+")
    return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional<Value>(out);
  if (op == "-")
    return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional<Value>(out);
  if (op == "*")
    return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional<Value>(out);
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  if (op == "/") return Value(static_cast<double>(a) / static_cast<double>(b));
  if (op == "//") return Value(floor_div(a, b));
  if (op == "%") return Value(a - floor_div(a, b) * b);
  return std::nullopt;
}

std::optional<Value> floats(const std::string& op, double a, double b) {
  if (op == "+") return Value(a + b);
  if (op == "-") return Value(a - b);
  if (op == "*") return Value(a * b);
  if (b == 0) return std::nullopt;
  if (op == "/") return Value(a / b);
  if (op == "//") return Value(std::floor(a / b));
  if (op == "%") return Value(a - std::floor(a / b) * b);
  return std::nullopt;
}

std::optional<int64_t> whole(const Value& v) {
  if (const bool* b = v.get<bool>()) return *b ? 1 : 0;
  const int64_t* i = v.get<int64_t>();
  return i ? std::optional(*i) : std::nullopt;
}

}  // namespace

Value Evaluator::arithmetic(const std::string& op, const Value& a, const Value& b, int line) const {
  if (op == "~") {
    std::string joined = a.text() + b.text();
    check_size(joined.size(), line);
    return Value(std::move(joined));
  }
  std::optional<Value> out;
  if (op == "**") fail("the operator '**' is not supported", line);
  if (whole(a) && whole(b)) {
    out = whole_numbers(op, *whole(a), *whole(b));
  } else if (a.is_number() && b.is_number()) {
    out = floats(op, a.number(), b.number());
  } else if (op == "+" && a.string() && b.string()) {
    check_size(a.string()->size() + b.string()->size(), line);
    out = Value(*a.string() + *b.string());
  } else if (op == "+" && a.list() && b.list()) {
    List both = *a.list();
    both.insert(both.end(), b.list()->begin(), b.list()->end());
    check_size(both.size() * sizeof(Value), line);
    out = Value(std::move(both));
  }
  if (!out) fail(fmt::format("'{}' of {} and {}", op, a.kind_name(), b.kind_name()), line);
  return std::move(*out);
}

bool Evaluator::contains(const Value& container, const Value& v, int line) const {
  if (const std::string* s = container.string()) {
    if (!v.string()) fail(fmt::format("'in' of {} and a string", v.kind_name()), line);
    return s->find(*v.string()) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) return v.string() && dict->find(*v.string());
  if (container.is_undefined()) return false;
  const List items = iterate(container, line);
  return std::ranges::any_of(items, [&](const Value& item) { return equal(item, v); });
}

bool Evaluator::less(const Value& a, const Value& b, int line) const {
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  if (a.string() && b.string()) return *a.string() < *b.string();
  fail(fmt::format("{} and {} have no order", a.kind_name(), b.kind_name()), line);
}

}  // namespace tilewright::tokens::jinja
