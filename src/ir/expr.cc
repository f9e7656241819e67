#include "tilewright/ir/expr.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/program.h"

namespace tilewright::ir {
namespace {

[[noreturn]] void overflow() {
  user_error("overflow", "an index expression does not fit in 64 bits", "",
             "scalar arithmetic uses 64-bit integers and never wraps",
             "check the shapes and offsets");
}

int64_t add_checked(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) overflow();
  return r;
}

int64_t mul_checked(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) overflow();
  return r;
}

[[noreturn]] void division_by_zero() {
  user_error("division", "an index expression divides by zero", "",
             "the divisor of // and % must not be zero", "check the divisor");
}

int compare_nodes(const Node& a, const Node& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (const int c = compare(a.a, b.a)) return c;
  return compare(a.b, b.b);
}

int compare_atoms(const Term& a, const Term& b) {
  if (a.var.valid() != b.var.valid()) return a.var.valid() ? -1 : 1;
  if (a.var.valid()) return a.var < b.var ? -1 : (b.var < a.var ? 1 : 0);
  return compare_nodes(*a.node, *b.node);
}

int64_t fold(NodeKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case NodeKind::FloorDiv: return floor_div(a, b);
    case NodeKind::Mod: return floor_mod(a, b);
    case NodeKind::Min: return std::min(a, b);
    case NodeKind::Max: return std::max(a, b);
    case NodeKind::Product: return mul_checked(a, b);
  }
  bug("fold: node kind");
}

}  // namespace

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) division_by_zero();
  if (b == -1) return mul_checked(a, -1);  // the lowest number has no opposite
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t floor_mod(int64_t a, int64_t b) {
  if (b == 0) division_by_zero();
  if (b == -1) return 0;
  const int64_t r = a % b;
  return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}

bool multiple_of(const Expr& e, int64_t n) {
  return e.constant() % n == 0 &&
         std::ranges::all_of(e.terms(), [n](const Term& t) { return t.coefficient % n == 0; });
}

int compare(const Expr& a, const Expr& b) {
  if (a.terms_.size() != b.terms_.size()) return a.terms_.size() < b.terms_.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.terms_.size(); ++i) {
    if (const int c = compare_atoms(a.terms_[i], b.terms_[i])) return c;
    if (a.terms_[i].coefficient != b.terms_[i].coefficient)
      return a.terms_[i].coefficient < b.terms_[i].coefficient ? -1 : 1;
  }
  if (a.constant_ != b.constant_) return a.constant_ < b.constant_ ? -1 : 1;
  return 0;
}

bool operator==(const Expr& a, const Expr& b) { return compare(a, b) == 0; }

Expr Expr::var(VarId v) {
  Expr e;
  e.terms_.push_back({1, v, nullptr});
  return e;
}

void Expr::add_term(Term term) {
  const auto at =
      std::lower_bound(terms_.begin(), terms_.end(), term,
                       [](const Term& a, const Term& b) { return compare_atoms(a, b) < 0; });
  if (at != terms_.end() && compare_atoms(*at, term) == 0) {
    at->coefficient = add_checked(at->coefficient, term.coefficient);
    if (at->coefficient == 0) terms_.erase(at);
  } else if (term.coefficient != 0) {
    terms_.insert(at, std::move(term));
  }
}

Expr operator+(const Expr& a, const Expr& b) {
  Expr r = a;
  r.constant_ = add_checked(r.constant_, b.constant_);
  for (const Term& t : b.terms_) r.add_term(t);
  return r;
}

Expr operator-(const Expr& a, const Expr& b) { return a + b * Expr(-1); }

Expr operator*(const Expr& a, const Expr& b) {
  if (!a.is_constant() && !b.is_constant()) {
    // Sorted operands, so that x*y and y*x are one expression.
    return compare(a, b) <= 0 ? Expr::combine(NodeKind::Product, a, b)
                              : Expr::combine(NodeKind::Product, b, a);
  }
  const Expr& e = a.is_constant() ? b : a;
  const int64_t factor = a.is_constant() ? a.constant_ : b.constant_;
  if (factor == 0) return Expr(0);
  Expr r = e;
  r.constant_ = mul_checked(r.constant_, factor);
  for (Term& t : r.terms_) t.coefficient = mul_checked(t.coefficient, factor);
  return r;
}

Expr Expr::combine(NodeKind kind, const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return Expr(fold(kind, a.constant_, b.constant_));
  Expr e;
  e.terms_.push_back({1, VarId(), std::make_shared<const Node>(Node{kind, a, b})});
  return e;
}

Expr floor_div(const Expr& a, const Expr& b) {
  if (b.is_constant() && b.constant() == 1) return a;
  return Expr::combine(NodeKind::FloorDiv, a, b);
}
Expr mod(const Expr& a, const Expr& b) { return Expr::combine(NodeKind::Mod, a, b); }
Expr min(const Expr& a, const Expr& b) { return a == b ? a : Expr::combine(NodeKind::Min, a, b); }
Expr max(const Expr& a, const Expr& b) { return a == b ? a : Expr::combine(NodeKind::Max, a, b); }

void Expr::for_each_var(const std::function<void(VarId)>& visit) const {
  for (const Term& t : terms_) {
    if (t.var.valid()) {
      visit(t.var);
    } else {
      t.node->a.for_each_var(visit);
      t.node->b.for_each_var(visit);
    }
  }
}

Expr Expr::substituted(const std::function<std::optional<Expr>(VarId)>& value_of) const {
  Expr r(constant_);
  for (const Term& t : terms_) {
    Expr atom;
    if (t.var.valid()) {
      const auto value = value_of(t.var);
      atom = value ? *value : Expr::var(t.var);
    } else {
      const Expr a = t.node->a.substituted(value_of);
      const Expr b = t.node->b.substituted(value_of);
      switch (t.node->kind) {
        case NodeKind::FloorDiv: atom = floor_div(a, b); break;
        case NodeKind::Mod: atom = mod(a, b); break;
        case NodeKind::Min: atom = min(a, b); break;
        case NodeKind::Max: atom = max(a, b); break;
        case NodeKind::Product: atom = a * b; break;
      }
    }
    r = r + atom * Expr(t.coefficient);
  }
  return r;
}

std::optional<int64_t> evaluate(const Expr& e, const ScalarEnv& env) {
  int64_t sum = e.constant();
  for (const Term& t : e.terms()) {
    int64_t atom;
    if (t.var.valid()) {
      if (!env.known(t.var)) return std::nullopt;
      atom = env.value(t.var);
    } else {
      const auto a = evaluate(t.node->a, env);
      const auto b = evaluate(t.node->b, env);
      if (!a || !b) return std::nullopt;
      atom = fold(t.node->kind, *a, *b);
    }
    sum = add_checked(sum, mul_checked(atom, t.coefficient));
  }
  return sum;
}

Range bounds(const Expr& e, const std::function<Range(VarId)>& range_of) {
  const auto scaled = [](const Range& r, int64_t k) {
    Range s = k >= 0 ? Range{r.low, r.high} : Range{r.high, r.low};
    if (s.low) s.low = mul_checked(*s.low, k);
    if (s.high) s.high = mul_checked(*s.high, k);
    return s;
  };
  const auto node_range = [&](const Node& n) -> Range {
    const Range a = bounds(n.a, range_of);
    const Range b = bounds(n.b, range_of);
    switch (n.kind) {
      case NodeKind::FloorDiv: {
        if (!n.b.is_constant() || n.b.constant() <= 0) return {};
        const int64_t d = n.b.constant();
        return {a.low ? std::optional(floor_div(*a.low, d)) : std::nullopt,
                a.high ? std::optional(floor_div(*a.high, d)) : std::nullopt};
      }
      case NodeKind::Mod: {
        if (!n.b.is_constant() || n.b.constant() <= 0) return {};
        return {0, n.b.constant() - 1};
      }
      case NodeKind::Min: {
        Range r;
        if (a.low && b.low) r.low = std::min(*a.low, *b.low);
        r.high = a.high && b.high ? std::optional(std::min(*a.high, *b.high))
                                  : (a.high ? a.high : b.high);
        return r;
      }
      case NodeKind::Max: {
        Range r;
        if (a.high && b.high) r.high = std::max(*a.high, *b.high);
        r.low = a.low && b.low ? std::optional(std::max(*a.low, *b.low)) : (a.low ? a.low : b.low);
        return r;
      }
      case NodeKind::Product: {
        if (!a.low || !a.high || !b.low || !b.high) return {};
        const int64_t p[] = {mul_checked(*a.low, *b.low), mul_checked(*a.low, *b.high),
                             mul_checked(*a.high, *b.low), mul_checked(*a.high, *b.high)};
        return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
      }
    }
    bug("bounds: node kind");
  };
  Range sum{e.constant(), e.constant()};
  for (const Term& t : e.terms()) {
    const Range r = scaled(t.var.valid() ? range_of(t.var) : node_range(*t.node), t.coefficient);
    sum.low = sum.low && r.low ? std::optional(add_checked(*sum.low, *r.low)) : std::nullopt;
    sum.high = sum.high && r.high ? std::optional(add_checked(*sum.high, *r.high)) : std::nullopt;
  }
  return sum;
}

std::optional<bool> evaluate(const Cond& c, const ScalarEnv& env) {
  switch (c.kind) {
    case Cond::Kind::Compare: {
      const auto l = evaluate(c.left, env);
      const auto r = evaluate(c.right, env);
      if (!l || !r) return std::nullopt;
      switch (c.op) {
        case Compare::Eq: return *l == *r;
        case Compare::Ne: return *l != *r;
        case Compare::Lt: return *l < *r;
        case Compare::Le: return *l <= *r;
        case Compare::Gt: return *l > *r;
        case Compare::Ge: return *l >= *r;
      }
      bug("evaluate: comparison");
    }
    case Cond::Kind::And:
    case Cond::Kind::Or: {
      const auto l = evaluate(c.parts[0], env);
      const auto r = evaluate(c.parts[1], env);
      if (!l || !r) return std::nullopt;
      return c.kind == Cond::Kind::And ? (*l && *r) : (*l || *r);
    }
    case Cond::Kind::Not: {
      const auto v = evaluate(c.parts[0], env);
      return v ? std::optional(!*v) : std::nullopt;
    }
  }
  bug("evaluate: condition kind");
}

void for_each_var(const Cond& c, const std::function<void(VarId)>& visit) {
  c.left.for_each_var(visit);
  c.right.for_each_var(visit);
  for (const Cond& p : c.parts) for_each_var(p, visit);
}

const char* compare_text(Compare op) {
  switch (op) {
    case Compare::Eq: return "==";
    case Compare::Ne: return "!=";
    case Compare::Lt: return "<";
    case Compare::Le: return "<=";
    case Compare::Gt: return ">";
    case Compare::Ge: return ">=";
  }
  return "";
}

namespace {

// A factor of a product or divisor needs parentheses unless it is one positive atom or constant.
std::string factor_text(const Expr& e, const std::function<std::string(VarId)>& name_of) {
  const bool plain_constant = e.is_constant() && e.constant() >= 0;
  const bool plain_variable =
      e.constant() == 0 && e.terms().size() == 1 && e.terms()[0].coefficient == 1 &&
      (e.terms()[0].var.valid() || e.terms()[0].node->kind == NodeKind::Min ||
       e.terms()[0].node->kind == NodeKind::Max);
  const std::string inner = text(e, name_of);
  return plain_constant || plain_variable ? inner : "(" + inner + ")";
}

std::string atom_text(const Term& t, const std::function<std::string(VarId)>& name_of) {
  if (t.var.valid()) return name_of(t.var);
  const Node& n = *t.node;
  switch (n.kind) {
    case NodeKind::FloorDiv:
      return fmt::format("{} // {}", factor_text(n.a, name_of), factor_text(n.b, name_of));
    case NodeKind::Mod:
      return fmt::format("{} % {}", factor_text(n.a, name_of), factor_text(n.b, name_of));
    case NodeKind::Min:
      return fmt::format("pl.min({}, {})", text(n.a, name_of), text(n.b, name_of));
    case NodeKind::Max:
      return fmt::format("pl.max({}, {})", text(n.a, name_of), text(n.b, name_of));
    case NodeKind::Product:
      return fmt::format("{} * {}", factor_text(n.a, name_of), factor_text(n.b, name_of));
  }
  return "";
}

bool is_operator_atom(const Term& t) {
  return !t.var.valid() && t.node->kind != NodeKind::Min && t.node->kind != NodeKind::Max;
}

}  // namespace

std::string text(const Expr& e, const std::function<std::string(VarId)>& name_of) {
  std::string out;
  // What is added comes first: "j - i * 64", "1000 - i * 256".
  std::vector<Term> terms = e.terms();
  std::stable_partition(terms.begin(), terms.end(),
                        [](const Term& t) { return t.coefficient > 0; });
  const bool constant_first = e.constant() > 0 && !terms.empty() && terms[0].coefficient < 0;
  if (constant_first) out = fmt::format("{}", e.constant());
  for (const Term& t : terms) {
    const bool negative = t.coefficient < 0;
    std::string atom = atom_text(t, name_of);
    const uint64_t magnitude =
        negative ? 0 - static_cast<uint64_t>(t.coefficient) : static_cast<uint64_t>(t.coefficient);
    if (magnitude != 1) {
      if (is_operator_atom(t)) atom = "(" + atom + ")";
      atom = fmt::format("{} * {}", atom, magnitude);
    } else if (is_operator_atom(t) && negative && out.empty()) {
      atom = "(" + atom + ")";
    }
    if (out.empty())
      out = negative ? "-" + atom : atom;
    else
      out += (negative ? " - " : " + ") + atom;
  }
  if (out.empty()) return fmt::format("{}", e.constant());
  if (constant_first) return out;
  if (e.constant() > 0) out += fmt::format(" + {}", e.constant());
  if (e.constant() < 0) out += fmt::format(" - {}", 0 - static_cast<uint64_t>(e.constant()));
  return out;
}

std::string text(const Cond& c, const std::function<std::string(VarId)>& name_of) {
  switch (c.kind) {
    case Cond::Kind::Compare:
      return fmt::format("{} {} {}", text(c.left, name_of), compare_text(c.op),
                         text(c.right, name_of));
    case Cond::Kind::And:
      return fmt::format("({}) and ({})", text(c.parts[0], name_of), text(c.parts[1], name_of));
    case Cond::Kind::Or:
      return fmt::format("({}) or ({})", text(c.parts[0], name_of), text(c.parts[1], name_of));
    case Cond::Kind::Not: return fmt::format("not ({})", text(c.parts[0], name_of));
  }
  return "";
}

}  // namespace tilewright::ir
