// Index: an integer scalar of a program (loop variable, offset, read value) with ordinary operators.
#pragma once

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/place.h"
#include "tilewright/ir/expr.h"

namespace tilewright::dsl {

class Index {
 public:
  Index() = default;
  Index(int64_t value) : expr_(value) {}  // NOLINT: numbers are indices
  Index(int value) : expr_(value) {}      // NOLINT
  explicit Index(ir::Expr e) : expr_(std::move(e)) {}

  const ir::Expr& expr() const { return expr_; }

  friend Index min(const Index& a, const Index& b) { return Index(ir::min(a.expr_, b.expr_)); }
  friend Index max(const Index& a, const Index& b) { return Index(ir::max(a.expr_, b.expr_)); }

 private:
  ir::Expr expr_;
};

// The right side of an operator, which remembers where the operator stands: arithmetic that has no
// result is told with its place.
class Operand {
 public:
  Operand(const Index& index, Here here = {}) : index_(index), here_(here) {}  // NOLINT
  Operand(int64_t value, Here here = {}) : index_(value), here_(here) {}       // NOLINT
  Operand(int value, Here here = {}) : index_(value), here_(here) {}           // NOLINT

  template <class Operator>
  Index apply(const Index& left, Operator combine) const {
    try {
      return Index(combine(left.expr(), index_.expr()));
    } catch (const UserError& e) {
      Diagnostic d = e.diagnostic();
      d.where = "at " + here_.place().text();
      throw UserError(std::move(d));
    }
  }
  const Index& index() const { return index_; }

 private:
  Index index_;
  Here here_;
};

inline Index operator+(const Index& a, const Operand& b) {
  return b.apply(a, [](const auto& x, const auto& y) { return x + y; });
}
inline Index operator-(const Index& a, const Operand& b) {
  return b.apply(a, [](const auto& x, const auto& y) { return x - y; });
}
inline Index operator*(const Index& a, const Operand& b) {
  return b.apply(a, [](const auto& x, const auto& y) { return x * y; });
}
// Floors, like // of the text form.
inline Index operator/(const Index& a, const Operand& b) {
  return b.apply(a, [](const auto& x, const auto& y) { return floor_div(x, y); });
}
inline Index operator%(const Index& a, const Operand& b) {
  return b.apply(a, [](const auto& x, const auto& y) { return mod(x, y); });
}

inline Index ceil_div(const Index& a, const Operand& b) { return (a + (b.index() - 1)) / b; }

// A condition of `when` and `loop_while`.
class Condition {
 public:
  explicit Condition(ir::Cond c) : cond_(std::move(c)) {}
  const ir::Cond& cond() const { return cond_; }

 private:
  ir::Cond cond_;
};

inline Condition compare(const Index& a, ir::Compare op, const Index& b) {
  return Condition({ir::Cond::Kind::Compare, op, a.expr(), b.expr(), {}});
}
inline Condition operator==(const Index& a, const Index& b) { return compare(a, ir::Compare::Eq, b); }
inline Condition operator!=(const Index& a, const Index& b) { return compare(a, ir::Compare::Ne, b); }
inline Condition operator<(const Index& a, const Index& b) { return compare(a, ir::Compare::Lt, b); }
inline Condition operator<=(const Index& a, const Index& b) { return compare(a, ir::Compare::Le, b); }
inline Condition operator>(const Index& a, const Index& b) { return compare(a, ir::Compare::Gt, b); }
inline Condition operator>=(const Index& a, const Index& b) { return compare(a, ir::Compare::Ge, b); }

// Both sides are always evaluated.
inline Condition operator&&(const Condition& a, const Condition& b) {
  return Condition({ir::Cond::Kind::And, ir::Compare::Eq, {}, {}, {a.cond(), b.cond()}});
}
inline Condition operator||(const Condition& a, const Condition& b) {
  return Condition({ir::Cond::Kind::Or, ir::Compare::Eq, {}, {}, {a.cond(), b.cond()}});
}
inline Condition operator!(const Condition& a) {
  return Condition({ir::Cond::Kind::Not, ir::Compare::Eq, {}, {}, {a.cond()}});
}

using Indices = std::vector<Index>;

}  // namespace tilewright::dsl
