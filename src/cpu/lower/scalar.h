// Integer expressions and conditions of the IR in a form that is evaluated quickly: a constant, a
// few multiplied variables, and a tree for what is not linear.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tilewright/cpu/run/frame.h"
#include "tilewright/ir/expr.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/scalar_math.h"

namespace tilewright::cpu {

class Integer {
 public:
  Integer() = default;
  explicit Integer(const ir::Expr& e);
  int64_t value(const Frame& f) const {
    int64_t sum = constant_;
    for (const Product& t : products_) sum += t.coefficient * f.integers[t.variable];
    for (const Other& t : others_) sum += t.coefficient * evaluate(t, f);
    return sum;
  }

 private:
  struct Product {
    int64_t coefficient;
    std::size_t variable;
  };
  struct Other {
    int64_t coefficient;
    ir::NodeKind kind;
    std::shared_ptr<const Integer> a, b;
  };
  static int64_t evaluate(const Other& t, const Frame& f);

  int64_t constant_ = 0;
  std::vector<Product> products_;
  std::vector<Other> others_;
};

std::vector<Integer> integers(const std::vector<ir::Expr>& list);

class Condition {
 public:
  explicit Condition(const ir::Cond& c);
  bool holds(const Frame& f) const;

 private:
  ir::Cond::Kind kind_;
  ir::Compare op_;
  Integer left_, right_;
  std::vector<Condition> parts_;
};

// The second operand of a tensor-scalar op.
class Number {
 public:
  Number(const ir::ScalarOperand& o, bool variable_is_float);
  float as_float(const Frame& f) const;
  ir::ScalarNumber number(const Frame& f) const;
  double as_double(const Frame& f) const;
  // Not through a double, which has 53 bits.
  bool is_integer() const { return kind_ == Kind::Integer; }
  int64_t as_integer(const Frame& f) const { return integer_.value(f); }

 private:
  enum class Kind : uint8_t { Literal, Float, Integer };
  Kind kind_ = Kind::Literal;
  double literal_ = 0;
  std::size_t variable_ = 0;
  Integer integer_;
};

}  // namespace tilewright::cpu
