// A product as place_tiles leaves it, and what stands in the way of cutting it.
#pragma once

#include <map>
#include <string>

#include "tilewright/compile/l0/choose_tile.h"
#include "tilewright/compile/l0/whole.h"

namespace tilewright::compile {

// By operand in Left, Right or Bias: the tile in Mat that a pass moved there. What the author
// placed is not in it.
using InMat = std::map<ir::VarId, ir::VarId>;

// The dimension of a tile that holds the rows or columns of its matrix; those before are batches.
inline std::size_t row_dimension(const Shape& s) { return s.size() - 2; }
inline std::size_t column_dimension(const Shape& s) { return s.size() - 1; }

// Where the left (0) or right (1) operand of a product has K, and where it has the output's rows or
// columns.
std::size_t k_dimension(const ir::Op& product, std::size_t operand, const Shape& shape);
std::size_t output_dimension(const ir::Op& product, std::size_t operand, const Shape& shape);

Product product_of(const ir::Op& op, const ir::Program& program);

// A narrower result is rounded by the product itself, which then cannot be added to.
bool sums_in_32_bits(const ir::Op& product, const ir::Program& program);

// The product with its left and right operand in Mat.
ir::Op from_mat(ir::Op product, const InMat& in_mat);

// Why its operands cannot be cut at all, and why not into blocks of a k that is whole; empty: they
// can.
std::string obstacle_to_parts(const ir::Op& product, const ir::Program& program,
                              const InMat& in_mat);
std::string obstacle_to_blocks(const ir::Op& product, const ir::Program& program,
                               const InMat& in_mat, const WholeValues& whole);

}  // namespace tilewright::compile
