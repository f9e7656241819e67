#include "tilewright/programs/rope.h"

#include "tilewright/programs/rms_norm.h"

namespace tilewright::programs {

using namespace dsl;

namespace {

// x times a table: a [1, N] table applies to every row, a [M, N] one row by row.
Tile times(const Tile& x, const Tile& table) {
  return table.dim(0) == 1 && x.dim(0) != 1 ? col_expand_mul(x, table) : mul(x, table);
}

}  // namespace

Halves load_halves(const Tensor& heads, const Index& row, int64_t count, int64_t half) {
  return {slice(heads, {count, half}, {row, 0}), slice(heads, {count, half}, {row, half})};
}

RopeTable table_at(const Tensor& cos, const Tensor& sin, const Index& position, int64_t half) {
  return {load_halves(cos, position, 1, half), load_halves(sin, position, 1, half)};
}

Halves normalise_heads(const Halves& u, const Tensor& gamma, double eps) {
  const int64_t half = u.low.dim(1);
  const Tile low = row_sum(mul(u.low, u.low));
  const Tile high = row_sum(mul(u.high, u.high));
  const Tile inverse = inverse_root(add(low, high), 2 * half, eps);
  const Halves g = load_halves(gamma, 0, 1, half);
  return {col_expand_mul(row_expand_mul(u.low, inverse), g.low),
          col_expand_mul(row_expand_mul(u.high, inverse), g.high)};
}

Halves rotate(const Halves& u, const RopeTable& t) {
  const Tile low_cos = times(u.low, t.cos.low);
  const Tile high_sin = times(u.high, t.sin.low);
  const Tile low = sub(low_cos, high_sin).named("rotated_low");
  const Tile high_cos = times(u.high, t.cos.high);
  const Tile low_sin = times(u.low, t.sin.high);
  return {low, add(high_cos, low_sin).named("rotated_high")};
}

Tile joined(const Halves& u, DType dtype) {
  const Tile low = as_type(u.low, dtype);
  return concat(low, as_type(u.high, dtype));
}

void pad_group(Builder& p, const Heads& h, const Tensor& q_out, int64_t q_stride,
               const Index& group_in_batch) {
  const Tile zeros = p.full({q_stride - h.q_rows, h.head_dim}, DType::F32, 0.0);
  assemble(q_out, cast(zeros, DType::BF16), {group_in_batch * q_stride + h.q_rows, 0});
}

void rope_and_cache(Builder& p, const Heads& h, const RopeCache& io, const Index& b,
                    const Index& position) {
  auto core = p.incore("rope_cache");
  const RopeTable table = table_at(io.cos, io.sin, position, h.half());

  const Halves k = load_halves(io.k, b * h.kv_heads, h.kv_heads, h.half());
  const Tile k_rows =
      joined(rotate(io.k_gamma ? normalise_heads(k, *io.k_gamma, io.eps) : k, table))
          .named("k_rows");
  for (Index kv : p.range(h.kv_heads).named("kv")) {
    const Index row = h.cache_row(b, kv) + position;
    assemble(io.k_cache, slice(k_rows, {1, h.head_dim}, {kv, 0}), {row, 0});
    const Tile v_row = slice(io.v, {1, h.head_dim}, {b * h.kv_heads + kv, 0});
    assemble(io.v_cache, cast(v_row, DType::BF16), {row, 0});
  }

  for (Index group : p.range(h.groups).named("g")) {
    const Halves q = load_halves(io.q, h.q_row(b, group), h.q_rows, h.half());
    const Tile q_rows =
        joined(rotate(io.q_gamma ? normalise_heads(q, *io.q_gamma, io.eps) : q, table))
            .named("q_rows");
    assemble(io.q_out, q_rows, {(b * h.groups + group) * io.q_stride, 0});
    if (io.pad && io.q_stride > h.q_rows)
      pad_group(p, h, io.q_out, io.q_stride, b * h.groups + group);
  }
}

}  // namespace tilewright::programs
