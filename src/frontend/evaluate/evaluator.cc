#include "tilewright/frontend/evaluate/evaluator.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tilewright/base/text.h"

namespace tilewright::frontend {
namespace {

using ir::Compare;

constexpr int64_t kLongestList = 1 << 16;  // items, characters or conditions of one value

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

std::optional<int64_t> int_power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64) return std::nullopt;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

std::size_t size_of(const ir::Cond& c) {
  std::size_t sum = 1;
  for (const ir::Cond& part : c.parts) sum += size_of(part);
  return sum;
}

bool holds_comprehension(const Expr& e) {
  if (e.kind == ExprKind::Comprehension) return true;
  for (const Expr* p : e.parts)
    if (p && holds_comprehension(*p)) return true;
  for (const Keyword& k : e.keywords)
    if (holds_comprehension(*k.value)) return true;
  return false;
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

}  // namespace

std::string dotted_path(const Expr& e) {
  if (e.kind == ExprKind::Name) return std::string(e.text);
  if (e.kind != ExprKind::Attribute) return "";
  const std::string base = dotted_path(*e.parts[0]);
  return base.empty() ? "" : fmt::format("{}.{}", base, e.text);
}

void Evaluator::unsupported(At at, const std::string& what, std::string help) const {
  fail(at, "unsupported", fmt::format("{} is not supported", what),
       "a program uses a part of Python: names, numbers, calls, loops, branches and with-scopes",
       std::move(help));
}

// Values that double with every statement must end somewhere.
void Evaluator::require_small(std::size_t size, At at) const {
  if (size > static_cast<std::size_t>(kLongestList))
    fail(at, "constant", fmt::format("a value of more than {} parts", kLongestList),
         "constants are numbers, strings and short lists", "keep it shorter");
}

bool Evaluator::truth(const Value& v, At at) const {
  if (const auto* b = v.as<bool>()) return *b;
  if (const auto d = v.number()) return *d != 0;
  if (v.as<None>()) return false;
  if (const auto* s = v.as<std::string>()) return !s->empty();
  if (const auto* l = v.as<List>()) return !l->items.empty();
  if (v.as<Told>()) throw AlreadyTold();
  fail(at, "constant",
       fmt::format("{} where a condition known at compile time is needed", kind_text(v)),
       "Python decides this before the program exists", "use constants, or an if of the program");
}

Value Evaluator::evaluate(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Name: return name(e);
    case ExprKind::Number: return number(e);
    case ExprKind::String:
      if (e.text == "f") return {Unknown{"an f-string"}};
      return {e.string};
    case ExprKind::True: return {true};
    case ExprKind::False: return {false};
    case ExprKind::None: return {None{}};
    case ExprKind::Ellipsis: unsupported(e.at, "'...' as a value", "write the value out");
    case ExprKind::Attribute: return attribute(e);
    case ExprKind::Call: return call(e);
    case ExprKind::Subscript: return subscript(e);
    case ExprKind::Slice: unsupported(e.at, "a slice outside a subscript", "write x[a:b]");
    case ExprKind::Unary: return unary(e);
    case ExprKind::Binary: return binary(e);
    case ExprKind::Compare: return compare(e);
    case ExprKind::Logic: return logic(e);
    case ExprKind::Conditional:
      return evaluate(truth(evaluate(*e.parts[1]), e.at) ? *e.parts[0] : *e.parts[2]);
    case ExprKind::Tuple:
    case ExprKind::List: {
      List list;
      for (const Expr* part : e.parts) list.items.push_back(evaluate(*part));
      require_small(list.weight(), e.at);
      return {std::move(list)};
    }
    case ExprKind::Dict: return {Unknown{"a dictionary"}};
    case ExprKind::Comprehension: return comprehension(e);
  }
  return {None{}};
}

Value Evaluator::attribute(const Expr& e) {
  const std::string path = dotted_path(e);
  if (path.starts_with("pl.")) {
    const std::string word = path.substr(3);
    if (const auto dtype = parse_dtype(word)) return {*dtype};
    return {Word{word}};
  }
  if (path == "math.pi") return {3.14159265358979323846};
  if (path == "math.inf") return {HUGE_VAL};
  unsupported(e.at, fmt::format("attribute '{}'", e.text), "use a constant of this file");
}

Value Evaluator::number(const Expr& e) const {
  std::string digits;
  for (char c : e.text)
    if (c != '_') digits += c;
  const auto bad = [&]() {
    fail(e.at, "syntax", fmt::format("'{}' is not a number that fits 64 bits", e.text),
         "integers have 64 bits, floats are doubles", "check the digits");
  };
  int base = 10;
  std::string_view body = digits;
  if (digits.size() > 2 && digits[0] == '0' &&
      std::isalpha(static_cast<unsigned char>(digits[1])) && digits[1] != 'e' && digits[1] != 'E') {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(digits[1])));
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    if (base == 0) bad();
    body.remove_prefix(2);
  }
  if (base == 10 && digits.find_first_of(".eE") != std::string::npos) {
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (end != digits.c_str() + digits.size()) bad();
    return {value};
  }
  int64_t value = 0;
  const auto result = std::from_chars(body.data(), body.data() + body.size(), value, base);
  if (result.ec != std::errc() || result.ptr != body.data() + body.size()) bad();
  return {ir::Expr(value)};
}

Value Evaluator::unary(const Expr& e) {
  const Value v = evaluate(*e.parts[0]);
  if (v.as<Told>()) throw AlreadyTold();
  if (e.text == "not") {
    if (const auto* c = v.as<ir::Cond>()) {
      ir::Cond out;
      out.kind = ir::Cond::Kind::Not;
      out.parts = {*c};
      return {std::move(out)};
    }
    return {!truth(v, e.at)};
  }
  const bool minus = e.text == "-";
  if (const auto i = as_integer(v)) return {minus ? ir::Expr(0) - *i : *i};
  if (const auto* d = v.as<double>()) return {minus ? -*d : *d};
  fail(e.at, "operator", fmt::format("'{}' before {}", e.text, kind_text(v)),
       "operators work on numbers; tensors have pl. calls", minus ? "use pl.neg" : "take it out");
}

Value Evaluator::binary(const Expr& e) {
  const Value a = evaluate(*e.parts[0]);
  const Value b = evaluate(*e.parts[1]);
  if (a.as<Told>() || b.as<Told>()) throw AlreadyTold();
  const auto ia = as_integer(a);
  const auto ib = as_integer(b);
  const bool constants = ia && ib && ia->is_constant() && ib->is_constant();
  const auto zero = [&](bool is_zero) {
    if (is_zero)
      fail(e.at, "division", fmt::format("'{}' by zero", e.text),
           "// and % need a divisor that is not zero", "check the divisor");
  };
  if (e.text == "**" && constants)
    if (const auto p = int_power(ia->constant(), ib->constant())) return {ir::Expr(*p)};
  if (ia && ib && e.text != "/" && e.text != "**") {
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
  if (da && db) {
    zero((e.text == "/" || e.text == "//" || e.text == "%") && *db == 0);
    return {float_value(e.text, *da, *db)};
  }
  if (a.as<std::string>() && b.as<std::string>() && e.text == "+") {
    require_small(a.as<std::string>()->size() + b.as<std::string>()->size(), e.at);
    return {*a.as<std::string>() + *b.as<std::string>()};
  }
  const bool tensors = a.as<Tensor>() || b.as<Tensor>();
  const bool integers = ia && ib;
  fail(
      e.at, "operator", fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
      "operators work on numbers: integers at any time, floats when they are known at compile time",
      tensors                     ? "use pl.add, pl.sub, pl.mul or pl.div for tensors"
      : integers && e.text == "/" ? "use // for integers"
                                  : "compute it from constants");
}

Value Evaluator::compare(const Expr& e) {
  const Value a = evaluate(*e.parts[0]);
  const Value b = evaluate(*e.parts[1]);
  if (a.as<Told>() || b.as<Told>()) throw AlreadyTold();
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
  if (a.as<None>() || b.as<None>()) {
    const bool same = a.as<None>() && b.as<None>();
    return {op == Compare::Eq ? same : !same};
  }
  const auto ia = as_integer(a);
  const auto ib = as_integer(b);
  if (ia && ib) {
    ir::Cond c;
    c.op = op;
    c.left = *ia;
    c.right = *ib;
    return {std::move(c)};
  }
  fail(e.at, "operator", fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
       "the program's branches compare integers",
       a.as<Tensor>() || b.as<Tensor>() ? "use pl.cmp for tensors" : "compare integers");
}

Value Evaluator::logic(const Expr& e) {
  const Value a = evaluate(*e.parts[0]);
  if (!a.as<ir::Cond>() &&
      !a.as<ir::Expr>()) {  // Python decides, and may not look at the right side
    const bool left = truth(a, e.at);
    if (left == (e.text == "or")) return a;
    return evaluate(*e.parts[1]);
  }
  const Value b = evaluate(*e.parts[1]);
  const auto ca = as_condition(a);
  const auto cb = as_condition(b);
  if (!ca || !cb)
    fail(e.at, "operator", fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
         "'and' and 'or' join conditions", "compare each side with a number");
  if (a.integer() && b.integer())
    return e.text == "and" ? (truth(a, e.at) ? b : a) : (truth(a, e.at) ? a : b);
  require_small(size_of(*ca) + size_of(*cb), e.at);
  ir::Cond out;
  out.kind = e.text == "and" ? ir::Cond::Kind::And : ir::Cond::Kind::Or;
  out.parts = {*ca, *cb};
  return {std::move(out)};
}

Value Evaluator::comprehension(const Expr& e) {
  const Expr& range = *e.parts[1];
  if (holds_comprehension(*e.parts[0]) || holds_comprehension(range))
    unsupported(e.at, "a list comprehension inside another", "write the list out");
  List list;
  const auto add = [&](Value v) {
    list.items.push_back(with_name(e.text, std::move(v), *e.parts[0]));
  };
  if (range.kind == ExprKind::Call && dotted_path(*range.parts[0]) == "range" &&
      range.parts.size() == 2) {
    const Value n = evaluate(*range.parts[1]);
    if (!n.integer() || *n.integer() > kLongestList)
      fail(range.at, "constant", "a list over a range that is not a small constant",
           "a list is made at compile time", "use a constant");
    const int64_t count = *n.integer();
    for (int64_t i = 0; i < count; ++i) add({ir::Expr(i)});
    return {std::move(list)};
  }
  const Value source = evaluate(range);
  const auto* items = source.as<List>();
  if (!items) unsupported(range.at, "a list comprehension over this", "use range(n) or a list");
  for (const Value& v : items->items) add(v);
  return {std::move(list)};
}

}  // namespace tilewright::frontend
