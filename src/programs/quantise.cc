#include "tilewright/programs/quantise.h"

namespace tilewright::programs {

using namespace dsl;

namespace {

// A column of one number for every row.
Tile column_of(Builder& p, const Rows& rows, double value) {
  const Tile all = p.full({rows.tile, 1}, DType::F32, value);
  return rows.partial ? set_validshape(all, {rows.valid, 1}) : all;
}

void take_largest(const Tile& largest, const Tile& block) {
  assign(largest, maximum(largest, row_max(abs(block))));
}

// Vector units round FP32 to INT32, and reach INT8 only from FP16; both later casts are exact.
// Nothing is clamped: |block| <= largest, so that |block * per_scale| <= 127 * (1 + 2^-23) after
// the roundings of the quotient and the product, and the nearest integer is 127 at most.
Tile codes_of(const Tile& block, const Tile& per_scale) {
  const Tile whole = cast(row_expand_mul(block, per_scale), DType::I32, CastMode::Rint);
  return cast(cast(whole, DType::F16), DType::I8, CastMode::Trunc);
}

}  // namespace

void quantise(Builder& p, std::string_view name, const Matrix& out, const Tensor& x,
              const Rows& rows, const Quantise& q) {
  if (!out.scales) return;
  const int64_t blocks = p.exact_div(q.width, q.k_tile);
  each_part(p, rows, q.task_rows, [&](const Rows& part) {
    auto core = p.incore(name);
    const auto block = [&](const Index& kb) {
      return as_type(load_rows(x, part, q.k_tile, kb * q.k_tile), DType::F32);
    };
    const Tile largest = column_of(p, part, kLeastMagnitude).named("largest");
    for (Index kb : staged_loop(p, 0, blocks, q.stages).named("kb"))
      take_largest(largest, block(kb));
    assemble(*out.scales, div(largest, kLargestCode), {part.first, 0});
    const Tile per_scale = div(column_of(p, part, kLargestCode), largest).named("per_scale");
    for (Index kb : staged_loop(p, 0, blocks, q.stages).named("kb"))
      assemble(out.values, codes_of(block(kb), per_scale), {part.first, kb * q.k_tile});
  });
}

void rms_norm_codes(Builder& p, const Matrix& out, const Tensor& x, const Tensor& gamma,
                    const Rows& rows, const RmsNorm& n) {
  const int64_t blocks = p.exact_div(n.width, n.k_tile);
  const auto block = [&](const Index& kb) {
    return as_type(load_rows(x, rows, n.k_tile, kb * n.k_tile), DType::F32);
  };
  const auto weighted = [&](const Tile& numbers, const Index& kb) {
    return col_expand_mul(numbers, slice(gamma, {1, n.k_tile}, {0, kb * n.k_tile}));
  };
  const Tile sum = zero_rows(p, rows, 1).named("sum_sq");
  const Tile largest = column_of(p, rows, kLeastMagnitude).named("largest");
  for (Index kb : staged_loop(p, 0, blocks, n.stages).named("kb")) {
    const Tile numbers = block(kb);
    assign(sum, add(sum, row_sum(mul(numbers, numbers))));
    take_largest(largest, weighted(numbers, kb));
  }
  const Tile inverse_rms = inverse_root(sum, n.width, n.eps);
  assemble(*out.scales, mul(div(largest, kLargestCode), inverse_rms), {rows.first, 0});
  const Tile per_scale = div(column_of(p, rows, kLargestCode), largest).named("per_scale");
  for (Index kb : staged_loop(p, 0, blocks, n.stages).named("kb"))
    assemble(out.values, codes_of(weighted(block(kb), kb), per_scale), {rows.first, kb * n.k_tile});
}

Tile scaled_sums(const Tile& sums, const Tile& column_scales, const Tile& row_scales) {
  return row_expand_mul(col_expand_mul(cast(sums, DType::F32), column_scales), row_scales);
}

}  // namespace tilewright::programs
