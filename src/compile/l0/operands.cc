#include "tilewright/compile/l0/operands.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::compile {

using namespace ir;

namespace {

bool is_one_matrix(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end() - 2, [](int64_t d) { return d == 1; });
}

}  // namespace

std::size_t k_dimension(const Op& op, std::size_t operand, const Shape& shape) {
  const bool columns = operand == 0 ? !op.a_trans : op.b_trans;
  return columns ? column_dimension(shape) : row_dimension(shape);
}

std::size_t output_dimension(const Op& op, std::size_t operand, const Shape& shape) {
  const bool columns = operand == 0 ? op.a_trans : !op.b_trans;
  return columns ? column_dimension(shape) : row_dimension(shape);
}

Product product_of(const Op& op, const Program& p) {
  const Shape& a = p[op.args[0]].shape;
  const Shape& b = p[op.args[1]].shape;
  return {.m = a[output_dimension(op, 0, a)], .n = b[output_dimension(op, 1, b)],
          .k = a[k_dimension(op, 0, a)], .operands = p[op.args[0]].dtype,
          .biased = op.kind == OpKind::MatmulBias};
}

bool sums_in_32_bits(const Op& product, const Program& p) {
  return bits(p[product.dst].dtype) == 32;
}

Op from_mat(Op product, const InMat& in_mat) {
  for (std::size_t i = 0; i < 2; ++i) product.args[i] = in_mat.at(product.args[i]);
  return product;
}

std::string obstacle_to_parts(const Op& op, const Program& p, const InMat& in_mat) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Var& operand = p[op.args[i]];
    if (!in_mat.contains(op.args[i]))
      return fmt::format("{} is placed in {} by the program", operand.written_name(),
                         memory_space_name(*operand.space));
    if (!is_one_matrix(operand.shape))
      return fmt::format("{} is a batch of matrices", operand.written_name());
  }
  return "";
}

std::string obstacle_to_blocks(const Op& op, const Program& p, const InMat& in_mat,
                               const WholeValues& whole) {
  if (std::string obstacle = obstacle_to_parts(op, p, in_mat); !obstacle.empty()) return obstacle;
  for (std::size_t i = 0; i < 2; ++i) {
    const VarId operand = in_mat.at(op.args[i]);
    if (!whole.is_whole(operand, k_dimension(op, i, p[operand].shape)))
      return fmt::format("{} may be partly valid along K", p[operand].written_name());
  }
  return "";
}

}  // namespace tilewright::compile
