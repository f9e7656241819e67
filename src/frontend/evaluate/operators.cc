// Python's operators on numbers, strings and lists; on integers of the program they build
// expressions and conditions.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/torch/torch.h"

namespace tilewright::frontend {
namespace {

using ir::Compare;

std::optional<ir::Expr> as_integer(const Value& v) {
  if (const auto* e = v.as<ir::Expr>()) return *e;
  if (const auto* b = v.as<bool>()) return ir::Expr(*b ? 1 : 0);
  return std::nullopt;
}

std::optional<Compare> comparison(std::string_view op) {
  for (int i = 0; i < 6; ++i)
    if (ir::compare_text(static_cast<Compare>(i)) == op) return static_cast<Compare>(i);
  return std::nullopt;
}

template <class T>
bool holds(Compare op, const T& a, const T& b) {
  switch (op) {
    case Compare::Eq: return a == b;
    case Compare::Ne: return a != b;
    case Compare::Lt: return a < b;
    case Compare::Le: return a <= b;
    case Compare::Gt: return a > b;
    case Compare::Ge: return a >= b;
  }
  return false;
}

std::optional<ir::Cond> as_condition(const Value& v) {
  if (const auto* c = v.as<ir::Cond>()) return *c;
  ir::Cond c;
  if (const auto* b = v.as<bool>()) {
    c.left = ir::Expr(*b ? 1 : 0);
  } else if (const auto* e = v.as<ir::Expr>()) {
    c.left = *e;
  } else {
    return std::nullopt;
  }
  c.op = Compare::Ne;
  c.right = ir::Expr(0);
  return c;
}

std::size_t size_of(const ir::Cond& c) {
  std::size_t sum = 1;
  for (const ir::Cond& part : c.parts) sum += size_of(part);
  return sum;
}

std::optional<int64_t> int_power(int64_t base, int64_t exponent) {
  if (base >= -1 && base <= 1) return exponent == 0 ? 1 : base < 0 && exponent % 2 == 0 ? 1 : base;
  if (exponent > 64) return std::nullopt;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

// Bits of constants; nothing for shifts that leave 64 bits.
std::optional<int64_t> bit_operation(std::string_view op, int64_t a, int64_t b) {
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (b < 0 || b > 62) return std::nullopt;
  if (op == ">>") return a >> b;
  if (op != "<<") return std::nullopt;
  int64_t result = 0;
  if (__builtin_mul_overflow(a, int64_t{1} << b, &result)) return std::nullopt;
  return result;
}

bool is_bit_operator(std::string_view op) {
  return op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>";
}

Value integer_value(std::string_view op, const ir::Expr& a, const ir::Expr& b) {
  if (op == "+") return {a + b};
  if (op == "-") return {a - b};
  if (op == "*") return {a * b};
  return {op == "//" ? ir::floor_div(a, b) : ir::mod(a, b)};
}

double float_value(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "//") return std::floor(a / b);
  if (op == "**") return std::pow(a, b);
  return a - b * std::floor(a / b);
}

// + and * of strings and lists, / of paths.
std::optional<Value> sequence_value(std::string_view op, const Value& a, const Value& b,
                                    std::size_t& size) {
  const auto* sa = a.as<std::string>();
  const auto* sb = b.as<std::string>();
  const auto* la = a.as<List>();
  const auto* lb = b.as<List>();
  if (op == "/" && sa && sb) {  // paths are strings here
    const std::string joined = (std::filesystem::path(*sa) / *sb).string();
    size = joined.size();
    return Value{joined};
  }
  if (op == "+" && sa && sb) {
    size = sa->size() + sb->size();
    return Value{*sa + *sb};
  }
  if (op == "/" && sa && sb) {  // paths are strings here
    size = sa->size() + sb->size() + 1;
    return Value{(std::filesystem::path(*sa) / *sb).string()};
  }
  if (op == "+" && la && lb) {
    size = la->items().size() + lb->items().size();
    std::vector<Value> items = la->items();
    items.insert(items.end(), lb->items().begin(), lb->items().end());
    return Value{List::of(std::move(items), la->tuple)};
  }
  if (op != "*") return std::nullopt;
  const auto times = (sa || la) ? b.integer() : a.integer();
  const std::string* s = sa ? sa : sb;
  const List* l = la ? la : lb;
  if (!times || (!s && !l)) return std::nullopt;
  const auto n = static_cast<std::size_t>(std::max<int64_t>(0, *times));
  const std::size_t one = s ? s->size() : l->items().size();
  size = one == 0 || n > static_cast<std::size_t>(kLongestList) ? n : n * one;
  if (size > static_cast<std::size_t>(kLongestList)) return Value{None{}};  // refused by its size
  std::string text;
  std::vector<Value> items;
  for (std::size_t i = 0; one > 0 && i < n; ++i) {
    if (s) text += *s;
    if (l) items.insert(items.end(), l->items().begin(), l->items().end());
  }
  return s ? Value{std::move(text)} : Value{List::of(std::move(items), l->tuple)};
}

}  // namespace

std::string_view tensor_call(std::string_view op) {
  constexpr std::pair<std::string_view, std::string_view> kCalls[] = {
      {"+", "pl.add"}, {"-", "pl.sub"}, {"*", "pl.mul"}, {"/", "pl.div"}, {"@", "pl.matmul"}};
  for (const auto& [sign, call] : kCalls)
    if (sign == op) return call;
  return {};
}

Value Evaluator::unary(const Expr& e) {
  return unary_value(e, settled(evaluate(*e.parts[0]), e.at));
}

Value Evaluator::unary_value(const Expr& e, const Value& v) {
  if (v.as<Told>()) throw AlreadyTold();
  if (const auto* u = v.as<Unknown>())
    return unknown(fmt::format("'{}' of an unknown value", e.text), place(e.at), u->cause);
  if (e.text == "not") {
    if (const auto* c = v.as<ir::Cond>()) {
      ir::Cond out;
      out.kind = ir::Cond::Kind::Not;
      out.parts = {*c};
      return {std::move(out)};
    }
    return {!truth(v, e.at)};
  }
  if (e.text == "~" && v.integer()) return {ir::Expr(~*v.integer())};
  const bool minus = e.text == "-";
  if (e.text != "~") {
    if (const auto i = as_integer(v)) return {minus ? ir::Expr(0) - *i : *i};
    if (const auto* d = v.as<double>()) return {minus ? -*d : *d};
  }
  if (const auto* m = v.as<Made>()) {
    if (e.text == "~")
      return torch_method(*m, "logical_not", {}).value_or(unknown("'~' of a tensor", place(e.at)));
    return minus ? torch_negated(*m) : v;
  }
  if (e.text != "~")
    if (auto s = scalar_arithmetic("*", v, {minus ? -1.0 : 1.0}, e.at)) return *s;
  fail(e.at, "operator", fmt::format("'{}' before {}", e.text, kind_text(v)),
       "operators work on numbers; tensors need pl. calls", minus ? "use pl.neg" : "remove it");
}

Value Evaluator::binary(const Expr& e) {
  const Value a = settled(evaluate(*e.parts[0]), e.at);
  return binary_value(e, a, settled(evaluate(*e.parts[1]), e.at));
}

Value Evaluator::binary_value(const Expr& e, const Value& a, const Value& b) {
  if (a.as<Told>() || b.as<Told>()) throw AlreadyTold();
  for (const Value* v : {&a, &b})
    if (const auto* u = v->as<Unknown>())
      return unknown(fmt::format("'{}' of an unknown value", e.text), place(e.at), u->cause);
  if (a.as<Made>() || b.as<Made>()) {
    if (auto made = torch_operation(e.text, a, b)) return *made;
    return unknown(fmt::format("'{}' of torch tensors is not evaluated", e.text), place(e.at));
  }
  const auto ia = as_integer(a);
  const auto ib = as_integer(b);
  const bool constants = ia && ib && ia->is_constant() && ib->is_constant();
  const auto zero = [&](bool is_zero) {
    if (is_zero)
      fail(e.at, "division", fmt::format("'{}' by zero", e.text),
           "the divisor of // and % must not be zero", "check the divisor");
  };
  const auto require_fit = [&](std::optional<int64_t> result) {
    if (!result)
      fail(e.at, "constant",
           fmt::format("{} {} {} does not fit in 64 bits", ia->constant(), e.text, ib->constant()),
           "integers have 64 bits", "use smaller numbers");
    return Value{ir::Expr(*result)};
  };
  if (e.text == "**" && constants && ib->constant() >= 0)
    return require_fit(int_power(ia->constant(), ib->constant()));
  if (is_bit_operator(e.text) && constants)
    return require_fit(bit_operation(e.text, ia->constant(), ib->constant()));
  const bool plain = e.text != "/" && e.text != "**" && e.text != "@" && !is_bit_operator(e.text);
  if (ia && ib && plain) {
    zero((e.text == "//" || e.text == "%") && ib->is_constant() && ib->constant() == 0);
    try {
      return integer_value(e.text, *ia, *ib);
    } catch (const UserError& error) {
      const Diagnostic& d = error.diagnostic();
      fail(e.at, d.code, d.what, d.law, d.help);
    }
  }
  const auto da = a.number();
  const auto db = b.number();
  if (da && db && e.text != "@" && !is_bit_operator(e.text)) {
    zero((e.text == "/" || e.text == "//" || e.text == "%") && *db == 0);
    return {float_value(e.text, *da, *db)};
  }
  std::size_t size = 0;
  if (auto joined = sequence_value(e.text, a, b, size)) {
    require_small(size, e.at);
    world_.spend(static_cast<int64_t>(size));
    return *joined;
  }
  if (const auto* s = a.as<std::string>(); s && e.text == "%")
    return unknown("a string formatted with %", place(e.at));
  if (a.as<Outside>() || b.as<Outside>() || a.as<Class>() || b.as<Class>())
    return unknown(fmt::format("'{}' of names of Python", e.text), place(e.at));
  if (auto s = scalar_arithmetic(e.text, a, b, e.at)) return *s;
  const bool tensors = a.as<Tensor>() || b.as<Tensor>();
  const bool integers = ia && ib;
  const std::string_view call = tensor_call(e.text);
  fail(e.at, "operator", fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
       "operators work on numbers; tensors need pl. calls",
       tensors && !call.empty()    ? fmt::format("use {} for tensors", call)
       : tensors                   ? "use pl. calls for tensors"
       : integers && e.text == "/" ? "use // for integers"
                                   : "compute it from numbers");
}

// part in whole; nothing when it cannot be decided.
std::optional<Value> Evaluator::contained(const Value& part, const Value& whole) const {
  if (const auto* s = whole.as<std::string>()) {
    const auto* p = part.as<std::string>();
    if (!p) return std::nullopt;
    return Value{s->find(*p) != std::string::npos};
  }
  const auto items = items_of(whole);
  if (!items) return std::nullopt;
  for (const Value& v : *items) {
    const auto same = equal(v, part);
    if (!same) return std::nullopt;
    if (*same) return Value{true};
  }
  return Value{false};
}

Value Evaluator::compare(const Expr& e) {
  const Value a = settled(evaluate(*e.parts[0]), e.at);
  return compare_values(e, a, settled(evaluate(*e.parts[1]), e.at));
}

Value Evaluator::compare_values(const Expr& e, const Value& a, const Value& b) {
  if (a.as<Told>() || b.as<Told>()) throw AlreadyTold();
  for (const Value* v : {&a, &b})
    if (const auto* u = v->as<Unknown>())
      return unknown("a comparison with an unknown value", place(e.at), u->cause);
  const bool negated = e.text.starts_with("not") || e.text.ends_with("not");
  if (e.text == "in" || e.text == "not in") {
    const auto found = contained(a, b);
    if (!found) return unknown(fmt::format("'in' of {}", kind_text(b)), place(e.at));
    return {*found->as<bool>() != negated};
  }
  if (e.text == "is" || e.text == "is not") {
    const auto same = equal(a, b);
    if (!same) return unknown(fmt::format("'is' of {}", kind_text(a)), place(e.at));
    return {*same != negated};
  }
  const Compare op = *comparison(e.text);
  const auto da = a.number();
  const auto db = b.number();
  if (da && db) {
    if (a.integer() && b.integer())
      return {holds(op, a.as<ir::Expr>()->constant(), b.as<ir::Expr>()->constant())};
    return {holds(op, *da, *db)};
  }
  if (a.as<std::string>() && b.as<std::string>())
    return {holds(op, *a.as<std::string>(), *b.as<std::string>())};
  const auto ia = as_integer(a);
  const auto ib = as_integer(b);
  if (ia && ib) {
    ir::Cond c;
    c.op = op;
    c.left = *ia;
    c.right = *ib;
    return {std::move(c)};
  }
  if (auto s = scalar_arithmetic(e.text, a, b, e.at)) return *s;
  if (a.as<Made>() || b.as<Made>()) {
    if (auto made = torch_operation(e.text, a, b)) return *made;
    return unknown("a comparison of torch tensors", place(e.at));
  }
  if (op == Compare::Eq || op == Compare::Ne)
    if (const auto same = equal(a, b)) return {*same == (op == Compare::Eq)};
  fail(e.at, "operator", fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
       "conditions of a program compare numbers",
       a.as<Tensor>() || b.as<Tensor>() ? "use pl.cmp for tensors" : "compare numbers");
}

Value Evaluator::logic(const Expr& e) {
  const Value a = evaluate(*e.parts[0]);
  if (const auto* u = a.as<Unknown>())
    return unknown(fmt::format("'{}' of an unknown value", e.text), place(e.at), u->cause);
  if (!a.as<ir::Cond>() && (!a.as<ir::Expr>() || a.integer())) {
    // Python decides, and may not look at the right side.
    const bool left = truth(a, e.at);
    if (left == (e.text == "or")) return a;
    return evaluate(*e.parts[1]);
  }
  const Value b = evaluate(*e.parts[1]);
  if (b.as<Unknown>()) return b;
  const auto ca = as_condition(a);
  const auto cb = as_condition(b);
  if (!ca || !cb)
    fail(e.at, "operator", fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
         "'and' and 'or' join conditions", "compare each side with a number");
  require_small(size_of(*ca) + size_of(*cb), e.at);
  ir::Cond out;
  out.kind = e.text == "and" ? ir::Cond::Kind::And : ir::Cond::Kind::Or;
  out.parts = {*ca, *cb};
  return {std::move(out)};
}

}  // namespace tilewright::frontend
