// Index: an integer scalar of a program (loop variable, offset, read value) with ordinary operators.
#pragma once

#include "tilewright/ir/expr.h"

namespace tilewright::dsl {

class Index {
 public:
  Index() = default;
  Index(int64_t value) : expr_(value) {}  // NOLINT: numbers are indices
  Index(int value) : expr_(value) {}      // NOLINT
  explicit Index(ir::Expr e) : expr_(std::move(e)) {}

  const ir::Expr& expr() const { return expr_; }

  friend Index operator+(const Index& a, const Index& b) { return Index(a.expr_ + b.expr_); }
  friend Index operator-(const Index& a, const Index& b) { return Index(a.expr_ - b.expr_); }
  friend Index operator*(const Index& a, const Index& b) { return Index(a.expr_ * b.expr_); }
  friend Index operator/(const Index& a, const Index& b) {  // floors, like // of the text form
    return Index(floor_div(a.expr_, b.expr_));
  }
  friend Index operator%(const Index& a, const Index& b) { return Index(mod(a.expr_, b.expr_)); }
  friend Index min(const Index& a, const Index& b) { return Index(ir::min(a.expr_, b.expr_)); }
  friend Index max(const Index& a, const Index& b) { return Index(ir::max(a.expr_, b.expr_)); }

 private:
  ir::Expr expr_;
};

inline Index ceil_div(const Index& a, int64_t b) { return (a + (b - 1)) / b; }

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
