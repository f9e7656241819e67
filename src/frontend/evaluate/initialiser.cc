#include "tilewright/frontend/evaluate/initialiser.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::frontend {
namespace {

using Kind = Initialiser::Kind;

// Methods that change the type or the layout, not the kind of numbers.
bool keeps_values(std::string_view method) {
  constexpr std::array<std::string_view, 12> kMethods{"to",         "float",   "bfloat16", "half",
                                                      "contiguous", "clone",   "type",     "int",
                                                      "long",       "reshape", "view",     "cpu"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

}  // namespace

std::optional<double> InitialiserReader::number(const Expr& e) {
  try {
    const Value v = names_.evaluate(e);
    if (const auto* d = v.as<double>()) return *d;
    if (const auto i = v.integer()) return static_cast<double>(*i);
    if (const auto* b = v.as<bool>()) return *b ? 1.0 : 0.0;
  } catch (const UserError&) {  // some other Python
  }
  return std::nullopt;
}

std::optional<int64_t> InitialiserReader::integer(const Expr& e) {
  const auto v = number(e);
  if (!v || !(std::abs(*v) < 0x1p62) || *v != std::trunc(*v)) return std::nullopt;
  return static_cast<int64_t>(*v);
}

std::optional<Initialiser> InitialiserReader::read(const Expr& value, const Body& functions) {
  if (value.kind == ExprKind::Name)
    for (const Stmt* s : functions)
      if (s->kind == StmtKind::Function && s->name == value.text) return of_function(*s);
  const std::string path = dotted_path(value);
  if (path == "torch.randn") return Initialiser{Kind::Normal};
  if (path == "torch.rand") return Initialiser{Kind::Uniform};
  if (path == "torch.zeros") return Initialiser{Kind::Constant, 1, 0};
  if (path == "torch.ones") return Initialiser{Kind::Constant, 1, 1};
  if (const auto n = number(value)) return Initialiser{Kind::Constant, 1, *n};
  return of_expression(value);
}

std::optional<Initialiser> InitialiserReader::of_function(const Stmt& function) {
  locals_.clear();
  returned_ = false;
  return of_body(function.body);
}

std::optional<Initialiser> InitialiserReader::of_body(const Body& body) {
  for (const Stmt* s : body) {
    if (s->kind == StmtKind::Return && s->value) {
      returned_ = true;
      return of_expression(*s->value);
    }
    if (s->kind == StmtKind::Assign && s->targets.size() == 1 && s->value &&
        s->targets[0]->kind == ExprKind::Name) {
      const auto value = of_expression(*s->value);
      if (value)
        locals_.insert_or_assign(std::string(s->targets[0]->text), *value);
      else if (const auto n = number(*s->value))
        names_.bind(s->targets[0]->text, {*n});
    } else if (s->kind == StmtKind::If) {
      const auto condition = number(*s->value);
      if (!condition) return std::nullopt;
      auto inner = of_body(*condition != 0 ? s->body : s->other);
      if (returned_) return inner;
    } else if (s->kind != StmtKind::Evaluate && s->kind != StmtKind::Pass &&
               s->kind != StmtKind::Skipped) {
      return std::nullopt;  // a loop may change any of it
    }
  }
  return std::nullopt;
}

std::optional<Initialiser> InitialiserReader::of_expression(const Expr& e) {
  if (e.kind == ExprKind::Name) {
    const auto it = locals_.find(e.text);
    return it == locals_.end() ? std::nullopt : std::optional(it->second);
  }
  if (e.kind == ExprKind::Binary || e.kind == ExprKind::Unary) return of_arithmetic(e);
  if (e.kind == ExprKind::Conditional) {
    const auto condition = number(*e.parts[1]);
    if (!condition) return std::nullopt;
    return of_expression(*condition != 0 ? *e.parts[0] : *e.parts[2]);
  }
  if (e.kind != ExprKind::Call) return std::nullopt;
  const Expr& callee = *e.parts[0];
  const std::string path = dotted_path(callee);
  if (path.starts_with("torch.")) return of_torch(path.substr(6), e);
  if (callee.kind == ExprKind::Attribute && keeps_values(callee.text))
    return of_expression(*callee.parts[0]);
  return std::nullopt;
}

std::optional<Initialiser> InitialiserReader::of_torch(const std::string& function,
                                                       const Expr& call) {
  const std::size_t n = call.parts.size() - 1;
  if (function == "rand" || function == "rand_like") return Initialiser{Kind::Uniform};
  if (function == "randn" || function == "randn_like") return Initialiser{Kind::Normal};
  if (function == "zeros" || function == "zeros_like" || function == "empty")
    return Initialiser{Kind::Constant, 1, 0};
  if (function == "ones" || function == "ones_like") return Initialiser{Kind::Constant, 1, 1};
  if (function == "full" && n >= 2)
    if (const auto value = number(*call.parts[2])) return Initialiser{Kind::Constant, 1, *value};
  if (function == "arange" && n == 1) return Initialiser{Kind::Counting};
  if (function == "randint" && n >= 2) {
    const bool has_low = n >= 3;  // (low, high, size) or (high, size)
    const auto low = has_low ? integer(*call.parts[1]) : std::optional<int64_t>(0);
    const auto high = integer(*call.parts[has_low ? 2 : 1]);
    if (low && high) return Initialiser{Kind::Integers, 1, 0, *low, *high};
  }
  return std::nullopt;
}

// The value is scale * (numbers + shift), and arithmetic with constants keeps it so.
std::optional<Initialiser> InitialiserReader::of_arithmetic(const Expr& e) {
  const bool unary = e.kind == ExprKind::Unary;
  auto left = of_expression(*e.parts[0]);
  if (unary) {
    if (left && e.text == "-") left->scale = -left->scale;
    return left;
  }
  const auto c = left ? number(*e.parts[1]) : number(*e.parts[0]);
  auto out = left ? left : of_expression(*e.parts[1]);
  if (!c || !out) return std::nullopt;
  const bool additive = e.text == "+" || (e.text == "-" && left);
  if (additive && out->scale != 0) {
    const double sign = e.text == "-" ? -1 : 1;
    out->shift += sign * *c / out->scale;
    return out;
  }
  if (e.text == "*")
    out->scale *= *c;
  else if (e.text == "/" && left && *c != 0)
    out->scale /= *c;
  else
    return std::nullopt;
  return out;
}

}  // namespace tilewright::frontend
