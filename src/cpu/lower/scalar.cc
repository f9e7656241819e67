#include "tilewright/cpu/lower/scalar.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"

namespace tilewright::cpu {

Integer::Integer(const ir::Expr& e) : constant_(e.constant()) {
  for (const ir::Term& t : e.terms()) {
    if (t.node)
      others_.push_back({t.coefficient, t.node->kind, std::make_shared<Integer>(t.node->a),
                         std::make_shared<Integer>(t.node->b)});
    else
      products_.push_back({t.coefficient, t.var.index()});
  }
}

int64_t Integer::evaluate(const Other& t, const Frame& f) {
  const int64_t a = t.a->value(f);
  const int64_t b = t.b->value(f);
  switch (t.kind) {
    case ir::NodeKind::FloorDiv: return ir::floor_div(a, b);
    case ir::NodeKind::Mod: return ir::floor_mod(a, b);
    case ir::NodeKind::Min: return std::min(a, b);
    case ir::NodeKind::Max: return std::max(a, b);
    case ir::NodeKind::Product: return a * b;
  }
  bug("integer expression kind");
}

std::vector<Integer> integers(const std::vector<ir::Expr>& list) {
  return {list.begin(), list.end()};
}

Condition::Condition(const ir::Cond& c) : kind_(c.kind), op_(c.op), left_(c.left), right_(c.right) {
  for (const ir::Cond& part : c.parts) parts_.emplace_back(part);
}

bool Condition::holds(const Frame& f) const {
  const auto part = [&](const Condition& c) { return c.holds(f); };
  switch (kind_) {
    case ir::Cond::Kind::And: return std::ranges::all_of(parts_, part);
    case ir::Cond::Kind::Or: return std::ranges::any_of(parts_, part);
    case ir::Cond::Kind::Not: return !parts_.front().holds(f);
    case ir::Cond::Kind::Compare: break;
  }
  const int64_t a = left_.value(f);
  const int64_t b = right_.value(f);
  switch (op_) {
    case ir::Compare::Eq: return a == b;
    case ir::Compare::Ne: return a != b;
    case ir::Compare::Lt: return a < b;
    case ir::Compare::Le: return a <= b;
    case ir::Compare::Gt: return a > b;
    case ir::Compare::Ge: return a >= b;
  }
  bug("condition kind");
}

Number::Number(const ir::ScalarOperand& o, bool variable_is_float) {
  switch (o.kind) {
    case ir::ScalarOperand::Kind::Literal: literal_ = o.literal; return;
    case ir::ScalarOperand::Kind::Index:
      kind_ = Kind::Integer;
      integer_ = Integer(o.index);
      return;
    case ir::ScalarOperand::Kind::Variable:
      kind_ = variable_is_float ? Kind::Float : Kind::Integer;
      variable_ = o.variable.index();
      if (!variable_is_float) integer_ = Integer(ir::Expr::var(o.variable));
      return;
  }
}

double Number::as_double(const Frame& f) const {
  switch (kind_) {
    case Kind::Literal: return literal_;
    case Kind::Float: return f.floats[variable_];
    case Kind::Integer: return static_cast<double>(integer_.value(f));
  }
  bug("number kind");
}

ir::ScalarNumber Number::number(const Frame& f) const {
  if (kind_ == Kind::Integer) return {false, 0, integer_.value(f)};
  return {true, as_double(f), 0};
}

float Number::as_float(const Frame& f) const {
  return kind_ == Kind::Integer ? static_cast<float>(integer_.value(f))
                                : static_cast<float>(as_double(f));
}

}  // namespace tilewright::cpu
