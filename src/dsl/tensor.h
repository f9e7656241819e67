// Tensor: a reference to one buffer of a program under construction, like a C++ reference: bound
// when it is made, never re-seated (assignment does not compile). Operations make new buffers; four
// verbs write an existing one: assemble, store, matmul_acc and assign.
#pragma once

#include "tilewright/dsl/index.h"
#include "tilewright/ir/program.h"

namespace tilewright::dsl {

class Builder;

class Tensor {
 public:
  Tensor(Builder* builder, ir::VarId var) : builder_(builder), var_(var) {}
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = delete;  // use assign(t, value)

  Builder& builder() const { return *builder_; }
  ir::VarId var() const { return var_; }
  const Shape& shape() const;
  int64_t dim(std::size_t axis) const { return shape().at(axis); }
  DType dtype() const;

  // Gives the buffer a name for listings and messages; returns the same handle.
  const Tensor& named(std::string_view name) const;

 private:
  Builder* builder_;
  ir::VarId var_;
};

// The same handle; the word says that the author expects the value on chip.
using Tile = Tensor;

// A float scalar: a scalar parameter or one element read from a tensor.
class Scalar {
 public:
  Scalar(double literal) : operand_{ir::ScalarOperand::Kind::Literal, literal, false, {}, {}} {}  // NOLINT
  Scalar(int literal)                                                                  // NOLINT
      : operand_{ir::ScalarOperand::Kind::Literal, static_cast<double>(literal), true, {}, {}} {}
  Scalar(const Index& index)                                                           // NOLINT
      : operand_{ir::ScalarOperand::Kind::Index, 0, true, {}, index.expr()} {}
  explicit Scalar(ir::VarId v) : operand_{ir::ScalarOperand::Kind::Variable, 0, false, v, {}} {}

  const ir::ScalarOperand& operand() const { return operand_; }

 private:
  ir::ScalarOperand operand_;
};

}  // namespace tilewright::dsl
