#include "tilewright/programs/rms_norm.h"

#include "tilewright/programs/quantise.h"

namespace tilewright::programs {

using namespace dsl;

namespace {

Tile as_f32(const Tile& x) { return as_type(x, DType::F32); }

}  // namespace

Tile sum_of_squares(const Tensor& x, const Rows& rows, int64_t cols, const Index& col) {
  const Tile block = as_f32(load_rows(x, rows, cols, col));
  return row_sum(mul(block, block));
}

Tile inverse_root(const Tile& sum, int64_t width, double eps) {
  return recip(sqrt(add(mul(sum, 1.0 / static_cast<double>(width)), eps))).named("inverse_rms");
}

Tile normalised(const Tensor& x, const Tensor& gamma, const Tile& inverse_rms, const Rows& rows,
                int64_t cols, const Index& col, DType dtype) {
  const Tile block = as_f32(load_rows(x, rows, cols, col));
  const Tile weight = slice(gamma, {1, cols}, {0, col});
  return as_type(col_expand_mul(row_expand_mul(block, inverse_rms), weight), dtype);
}

void rms_norm_rows(Builder& p, const Matrix& out, const Tensor& x, const Tensor& gamma,
                   const Rows& rows, const RmsNorm& n) {
  if (out.scales) return rms_norm_codes(p, out, x, gamma, rows, n);
  const int64_t blocks = p.exact_div(n.width, n.k_tile);
  const Tile sum = zero_rows(p, rows, 1).named("sum_sq");
  for (Index kb : staged_loop(p, 0, blocks, n.stages).named("kb"))
    assign(sum, add(sum, sum_of_squares(x, rows, n.k_tile, kb * n.k_tile)));
  const Tile inverse_rms = inverse_root(sum, n.width, n.eps);
  for (Index kb : staged_loop(p, 0, blocks, n.stages).named("kb"))
    assemble(out.values,
             normalised(x, gamma, inverse_rms, rows, n.k_tile, kb * n.k_tile, out.values.dtype()),
             {rows.first, kb * n.k_tile});
}

void rms_norm(Builder& p, std::string_view name, const Matrix& out, const Tensor& x,
              const Tensor& gamma, const Rows& rows, const RmsNorm& n) {
  each_part(p, rows, n.task_rows, [&](const Rows& part) {
    auto core = p.incore(name);
    rms_norm_rows(p, out, x, gamma, part, n);
  });
}

}  // namespace tilewright::programs
