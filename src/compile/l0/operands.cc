#include "tilewright/compile/l0/operands.h"

#include <fmt/format.h>

namespace tilewright::compile {

using namespace ir;

Product product_of(const Op& op, const Program& p) {
  const Shape& a = p[op.args[0]].shape;
  const Shape& b = p[op.args[1]].shape;
  const auto side = [](const Shape& s, bool last) { return s[s.size() - (last ? 1 : 2)]; };
  return {.m = side(a, op.a_trans), .n = side(b, !op.b_trans), .k = side(a, !op.a_trans),
          .operands = p[op.args[0]].dtype};
}

bool sums_in_32_bits(const Op& product, const Program& p) {
  return bits(p[product.dst].dtype) == 32;
}

Op from_mat(Op product, const InMat& in_mat) {
  for (std::size_t i = 0; i < 2; ++i) product.args[i] = in_mat.at(product.args[i]);
  return product;
}

std::string obstacle_to_blocks(const Op& op, const Program& p, const InMat& in_mat,
                               const WholeValues& whole) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Var& operand = p[op.args[i]];
    if (!in_mat.contains(op.args[i]))
      return fmt::format("{} is placed in {} by the program", operand.name,
                         memory_space_name(*operand.space));
    if (operand.shape.size() != 2) return fmt::format("{} is not 2-D", operand.name);
    const bool transposed = i == 0 ? op.a_trans : op.b_trans;
    const std::size_t k_dimension = (i == 0) != transposed ? 1 : 0;
    if (!whole.is_whole(in_mat.at(op.args[i]), k_dimension))
      return fmt::format("{} may be partly valid along K", p[in_mat.at(op.args[i])].name);
  }
  return "";
}

}  // namespace tilewright::compile
