// Q/K/V projection whose tasks also rotate, round and store: no FP32 projections in GM between
// scopes 1 and 2.
#include "tilewright/models/qwen3/layer.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

// A position per row of the tile, read by the task itself: a runtime passes 16 scalars to a task,
// and a tile has as many rows. The last tile of an odd batch repeats its last row; those positions
// are not used.
std::vector<Index> positions_of(Builder& p, const Tensor& seq_lens, const Rows& rows,
                                int64_t batch) {
  std::vector<Index> positions;
  for (int64_t r = 0; r < rows.tile; ++r) {
    const Index row = rows.partial ? min(rows.first + r, batch - 1) : rows.first + r;
    positions.push_back(p.read(seq_lens, {row}) - 1);
  }
  return positions;
}

// body(r) for every real row of the tile; written out, since each row has its own scalars.
template <class Body>
void each_row(Builder& p, const Rows& rows, Body&& body) {
  for (int64_t r = 0; r < rows.tile; ++r) {
    if (!rows.partial) {
      body(r);
      continue;
    }
    auto real = p.when(Index(r) < rows.valid);
    body(r);
  }
}

Tile columns(const Tile& x, const Rows& rows, int64_t cols, int64_t col) {
  SliceOptions o;
  if (rows.partial) o.valid_shape = {rows.valid, cols};
  return slice(x, {rows.tile, cols}, {0, col}, o);
}

struct Fused {
  Builder& p;
  const Choice& c;
  const ContextParams& ctx;
  const Rows& rows;
  Heads h;
  Tensor cos_rows, sin_rows;  // [batch, head_dim] FP32: the table rows of this step's positions

  RopeTable table() const {
    const auto halves = [&](const Tensor& t) {
      return Halves{load_rows(t, rows, h.half(), 0), load_rows(t, rows, h.half(), h.half())};
    };
    return {halves(cos_rows), halves(sin_rows)};
  }

  // Head `head` of a tile of projection sums, rotated, [rows, head_dim] BF16.
  Tile rotated(const Tile& sums, int64_t head, const RopeTable& t,
               const std::optional<Tensor>& gamma) const {
    const Halves u{columns(sums, rows, h.half(), head * h.head_dim),
                   columns(sums, rows, h.half(), head * h.head_dim + h.half())};
    return joined(rotate(gamma ? normalise_heads(u, *gamma, c.model.rms_norm_eps) : u, t));
  }

  void store_rows(const Tensor& cache, const Tile& tile, const Index& kv_head,
                  const std::vector<Index>& positions) const {
    each_row(p, rows, [&](int64_t r) {
      assemble(cache, slice(tile, {1, h.head_dim}, {r, 0}),
               {h.cache_row(rows.first + r, kv_head) + positions[static_cast<std::size_t>(r)], 0});
    });
  }
};

void q_tasks(const Fused& f, const Matrix& normed, const Matrix& wq, const Tensor& q_out) {
  Builder& p = f.p;
  const Tiling& t = f.c.tiling;
  const int64_t heads_per_block = p.exact_div(t.q_n, f.h.head_dim);
  block_tasks(p, "q_rope", p.exact_div(q_out.dim(1), t.q_n), t.q_chunk, [&](const Index& block) {
    const Tile sums =
        project(p, normed, f.rows, wq, block * t.q_n, t.q_n, projection_chain(f.c)).named("q_acc");
    const RopeTable table = f.table();
    // Gathered on chip and stored once: rows of q_n elements instead of halves of a head.
    const Tile tile = p.tensor("q_tile", {f.rows.tile, t.q_n}, DType::BF16);
    for (int64_t i = 0; i < heads_per_block; ++i)
      assemble(tile, f.rotated(sums, i, table, f.ctx.q_gamma), {0, i * f.h.head_dim});
    assemble(q_out, f.rows.partial ? columns(tile, f.rows, t.q_n, 0) : tile,
             {f.rows.first, block * t.q_n});
  });
}

void kv_tasks(const Fused& f, const Matrix& normed, const ProjectionParams& in) {
  Builder& p = f.p;
  const Tiling& t = f.c.tiling;
  const int64_t heads_per_block = p.exact_div(t.kv_n, f.h.head_dim);
  block_tasks(p, "kv_rope", p.exact_div(f.c.model.kv_width(), t.kv_n), t.kv_chunk,
              [&](const Index& block) {
                const auto sums =
                    project(p, rows_of(normed, f.rows, t.proj_k), f.rows, {in.wk, in.wv},
                            block * t.kv_n, t.kv_n, projection_chain(f.c));
                const RopeTable table = f.table();
                const std::vector<Index> positions =
                    positions_of(p, f.ctx.seq_lens, f.rows, t.batch);
                for (int64_t i = 0; i < heads_per_block; ++i) {
                  const Index kv_head = block * heads_per_block + i;
                  f.store_rows(f.ctx.k_cache, f.rotated(sums[0], i, table, f.ctx.k_gamma), kv_head,
                               positions);
                  const Tile v = columns(sums[1], f.rows, f.h.head_dim, i * f.h.head_dim);
                  f.store_rows(f.ctx.v_cache, cast(v, DType::BF16), kv_head, positions);
                }
              });
}

}  // namespace

void fused_scope1(Builder& p, const Choice& c, const ProjectionParams& in, const ContextParams& ctx,
                  const Tensor& q_out) {
  const Tiling& t = c.tiling;
  const Matrix normed = normed_tensor(p, c, "normed");
  const Tensor cos_rows = p.tensor("cos_rows", {t.batch, c.model.head_dim}, DType::F32);
  const Tensor sin_rows = p.tensor("sin_rows", {t.batch, c.model.head_dim}, DType::F32);
  const Heads h = heads_of(p, c);
  each_row_tile(p, c, [&](const Rows& rows) {
    each_part(p, rows, t.norm_rows, [&](const Rows& part) {
      auto core = p.incore("input_norm");
      rms_norm_rows(p, normed, in.hidden, in.gamma, part, norm_of(c));
      const std::vector<Index> positions = positions_of(p, ctx.seq_lens, part, t.batch);
      each_row(p, part, [&](int64_t r) {
        const Index position = positions[static_cast<std::size_t>(r)];
        const tilewright::Shape row{1, c.model.head_dim};
        assemble(cos_rows, slice(ctx.cos, row, {position, 0}), {part.first + r, 0});
        assemble(sin_rows, slice(ctx.sin, row, {position, 0}), {part.first + r, 0});
      });
    });
    const Fused f{p, c, ctx, rows, h, cos_rows, sin_rows};
    q_tasks(f, normed, in.wq, q_out);
    kv_tasks(f, normed, in);
  });
}

}  // namespace tilewright::models::qwen3
