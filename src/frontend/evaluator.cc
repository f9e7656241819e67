#include "tilewright/frontend/evaluator.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tilewright/base/text.h"

namespace tilewright::frontend {
namespace {

using ir::Compare;

constexpr int64_t kLongestList = 1 << 16;

std::optional<double> as_double(const Value& v) {
  if (const auto* d = v.as<double>()) return *d;
  if (const auto i = v.integer()) return static_cast<double>(*i);
  if (const auto* b = v.as<bool>()) return *b ? 1.0 : 0.0;
  return std::nullopt;
}

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

std::optional<int64_t> Value::integer() const {
  const auto* e = as<ir::Expr>();
  if (!e || !e->is_constant()) return std::nullopt;
  return e->constant();
}

std::string kind_text(const Value& v) {
  constexpr const char* kKinds[] = {"None",     "a boolean",    "an integer",        "a number",
                                    "a string", "a data type",  "a word of pl",      "a dynamic size",
                                    "a tensor", "a float",      "a condition",       "a function",
                                    "a list",   "a task id",    "an unknown value",  "a refused value"};
  return kKinds[v.data.index()];
}

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

bool Evaluator::truth(const Value& v, At at) const {
  if (const auto* b = v.as<bool>()) return *b;
  if (const auto d = as_double(v)) return *d != 0;
  if (v.as<None>()) return false;
  if (const auto* s = v.as<std::string>()) return !s->empty();
  if (const auto* l = v.as<List>()) return !l->items.empty();
  if (v.as<Told>()) throw AlreadyTold();
  fail(at, "constant", fmt::format("{} where a condition known at compile time is needed", kind_text(v)),
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
  if (digits.size() > 2 && digits[0] == '0' && std::isalpha(static_cast<unsigned char>(digits[1])) &&
      digits[1] != 'e' && digits[1] != 'E') {
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
      fail(e.at, "division", fmt::format("'{}' by zero", e.text), "// and % need a divisor that is not zero",
           "check the divisor");
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
  const auto da = as_double(a);
  const auto db = as_double(b);
  if (da && db) {
    zero((e.text == "/" || e.text == "//" || e.text == "%") && *db == 0);
    return {float_value(e.text, *da, *db)};
  }
  if (a.as<std::string>() && b.as<std::string>() && e.text == "+")
    return {*a.as<std::string>() + *b.as<std::string>()};
  const bool tensors = a.as<Tensor>() || b.as<Tensor>();
  const bool integers = ia && ib;
  fail(e.at, "operator",
       fmt::format("'{}' of {} and {}", e.text, kind_text(a), kind_text(b)),
       "operators work on numbers: integers at any time, floats when they are known at compile time",
       tensors ? "use pl.add, pl.sub, pl.mul or pl.div for tensors"
       : integers && e.text == "/" ? "use // for integers"
                                   : "compute it from constants");
}

Value Evaluator::compare(const Expr& e) {
  const Value a = evaluate(*e.parts[0]);
  const Value b = evaluate(*e.parts[1]);
  if (a.as<Told>() || b.as<Told>()) throw AlreadyTold();
  const Compare op = *comparison(e.text);
  const auto da = as_double(a);
  const auto db = as_double(b);
  if (da && db) {
    if (a.integer() && b.integer()) return {holds(op, a.as<ir::Expr>()->constant(), b.as<ir::Expr>()->constant())};
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
  if (!a.as<ir::Cond>() && !a.as<ir::Expr>()) {  // Python decides, and may not look at the right side
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
  if (a.integer() && b.integer()) return e.text == "and" ? (truth(a, e.at) ? b : a) : (truth(a, e.at) ? a : b);
  ir::Cond out;
  out.kind = e.text == "and" ? ir::Cond::Kind::And : ir::Cond::Kind::Or;
  out.parts = {*ca, *cb};
  return {std::move(out)};
}

Value Evaluator::comprehension(const Expr& e) {
  const Expr& range = *e.parts[1];
  List list;
  const auto add = [&](Value v) { list.items.push_back(with_name(e.text, std::move(v), *e.parts[0])); };
  if (range.kind == ExprKind::Call && dotted_path(*range.parts[0]) == "range" && range.parts.size() == 2) {
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

std::optional<Value> Evaluator::builtin(const std::string& callee, const std::vector<Value>& args,
                                        At at) const {
  const auto number_of = [&](std::size_t i) {
    const auto d = as_double(args.at(i));
    if (!d) fail(at, "constant", fmt::format("{} of {}", callee, kind_text(args[i])),
                 "Python computes this before the program exists", "use constants");
    return *d;
  };
  const auto whole = [&](double v) -> Value {
    if (!(std::abs(v) < 0x1p62)) fail(at, "constant", fmt::format("{} of a number that fits no integer", callee),
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
    if (callee == "len" && x.as<List>()) return Value{ir::Expr(static_cast<int64_t>(x.as<List>()->items.size()))};
    if (callee == "float" && x.as<std::string>()) {
      const std::string& s = *x.as<std::string>();
      if (s == "inf" || s == "+inf") return Value{HUGE_VAL};
      if (s == "-inf") return Value{-HUGE_VAL};
      return Value{std::strtod(s.c_str(), nullptr)};
    }
    if (callee == "int" && x.as<std::string>())
      return Value{ir::Expr(static_cast<int64_t>(std::strtoll(x.as<std::string>()->c_str(), nullptr, 10)))};
    if (callee == "int") return x.integer() ? x : whole(std::trunc(number_of(0)));
    if (callee == "float") return Value{number_of(0)};
    if (callee == "bool") return Value{truth(x, at)};
    if (callee == "abs") return x.integer() ? whole(std::abs(number_of(0))) : Value{std::abs(number_of(0))};
    if (callee == "round") return whole(std::nearbyint(number_of(0)));
    if (callee == "math.ceil") return whole(std::ceil(number_of(0)));
    if (callee == "math.floor") return whole(std::floor(number_of(0)));
    if (callee == "math.sqrt" || callee == "sqrt") return Value{std::sqrt(number_of(0))};
    if (callee == "math.log2") return Value{std::log2(number_of(0))};
    if (callee == "math.log") return Value{std::log(number_of(0))};
    if (callee == "math.exp") return Value{std::exp(number_of(0))};
  }
  if (n == 2 && (callee == "math.pow" || callee == "pow")) return Value{std::pow(number_of(0), number_of(1))};
  return std::nullopt;
}

}  // namespace tilewright::frontend
