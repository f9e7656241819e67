// Q/K/V projection in two steps: cube tasks leave partial sums in GM, vector tasks add them up.
#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

struct Split {
  int64_t n_tile;
  int64_t blocks;  // output blocks
  int64_t splits;  // partial sums per output block
  int64_t k_tile;
  int64_t k_blocks;  // per partial sum
};

Split split_of(Builder& p, const Choice& c, int64_t width, int64_t n_tile) {
  const Tiling& t = c.tiling;
  const int64_t k_blocks = p.exact_div(c.model.hidden, t.proj_k);
  const int64_t splits = t.k_splits == 0 ? k_blocks : t.k_splits;
  return {n_tile, p.exact_div(width, n_tile), splits, t.proj_k, p.exact_div(k_blocks, splits)};
}

// Row of a partial sum in its buffer; a shared buffer has room for one output block.
Index partial_row(const Choice& c, const Split& s, const Index& block, const Index& split) {
  return ((c.tiling.shared_partials ? Index(0) : block * s.splits) + split) * c.tiling.batch_tile;
}

void partial_sum(Builder& p, const Choice& c, const Split& s, const Tensor& partial,
                 const Tensor& normed, const Rows& rows, const Tensor& weight, const Index& block,
                 const Index& split) {
  const Index first = split * (s.k_blocks * s.k_tile);
  const auto left = [&](const Index& k) { return load_rows(normed, rows, s.k_tile, first + k); };
  const auto right = [&](const Index& k) {
    return slice(weight, {s.k_tile, s.n_tile}, {first + k, block * s.n_tile});
  };
  const Tile a0 = left(0);
  const Tile sum = matmul(a0, right(0)).named("partial_sum");
  if (s.k_blocks > 1)
    for (Index kb : p.range(1, s.k_blocks).named("kb")) {
      const Tile a = left(kb * s.k_tile);
      matmul_acc(sum, a, right(kb * s.k_tile));
    }
  assemble(partial, sum, {partial_row(c, s, block, split), 0});
}

void reduce(Builder& p, const Choice& c, const Split& s, const Tensor& out, const Tensor& partial,
            const Rows& rows, const Index& block) {
  const Tile total = zero_rows(p, rows, s.n_tile).named("total");
  for (Index split : p.range(s.splits).named("split")) {
    const Rows part{partial_row(c, s, block, split), rows.tile, rows.valid, rows.partial};
    assign(total, add(total, load_rows(partial, part, s.n_tile, 0)));
  }
  assemble(out, total, {rows.first, block * s.n_tile});
}

// One projection of one tile of rows.
void split_projection(Builder& p, const Choice& c, const Split& s, const std::string& name,
                      const Tensor& out, const Tensor& partial, const Tensor& normed,
                      const Rows& rows, const Tensor& weight) {
  const std::string reduce_name = name + "_reduce";
  if (c.tiling.k_outer) {
    for (Index split : p.parallel(s.splits).named("split")) {
      auto core = p.incore(name);
      for (Index block : p.range(s.blocks).named("block"))
        partial_sum(p, c, s, partial, normed, rows, weight, block, split);
    }
    block_tasks(p, reduce_name, s.blocks, 1,
                [&](const Index& block) { reduce(p, c, s, out, partial, rows, block); });
    return;
  }
  const auto both = [&](const Index& block) {
    {
      auto core = p.incore(name);
      for (Index split : p.range(s.splits).named("split"))
        partial_sum(p, c, s, partial, normed, rows, weight, block, split);
    }
    auto core = p.incore(reduce_name);
    reduce(p, c, s, out, partial, rows, block);
  };
  // A shared buffer is written again by every block: those are ordered, not parallel.
  if (c.tiling.shared_partials)
    for (Index block : p.range(s.blocks).named("block")) both(block);
  else
    for (Index block : p.parallel(s.blocks).named("block")) both(block);
}

Tensor partials(Builder& p, const Choice& c, const Split& s, const char* name) {
  const int64_t slots = s.splits * (c.tiling.shared_partials ? 1 : s.blocks);
  return p.tensor(name, {slots * c.tiling.batch_tile, s.n_tile}, DType::F32);
}

ir::Program build_scope1_split(const Choice& c) {
  Builder p("qwen3/scope1-split");
  const Tiling& t = c.tiling;
  const ProjectionParams in = projection_params(p, c);
  const Qkv out = qkv_outputs(p, c);
  if (t.k_outer && t.shared_partials)
    p.report("split", "k_outer=1 with shared_partials=1",
             "if the K loop is outermost, the partial sums of all output blocks are alive at once",
             "set shared_partials=0", {});
  const Split q = split_of(p, c, c.model.q_width(), t.q_n);
  const Split kv = split_of(p, c, c.model.kv_width(), t.kv_n);
  const Tensor q_partial = partials(p, c, q, "q_partial");
  const Tensor k_partial = partials(p, c, kv, "k_partial");
  const Tensor v_partial = partials(p, c, kv, "v_partial");
  const Tensor normed = p.tensor("normed", {t.batch, c.model.hidden}, DType::BF16);
  // The partial buffers are shared by all tiles of rows, so these are ordered too.
  for (Index tile : p.range(row_tile_count(t.batch, t.batch_tile)).named("rows")) {
    const Rows rows = rows_at(tile, t.batch, t.batch_tile);
    rms_norm(p, "input_norm", normed, in.hidden, in.gamma, rows, norm_of(c));
    split_projection(p, c, q, "q_proj", out.q, q_partial, normed, rows, in.wq.values);
    split_projection(p, c, kv, "k_proj", out.k, k_partial, normed, rows, in.wk.values);
    split_projection(p, c, kv, "v_proj", out.v, v_partial, normed, rows, in.wv.values);
  }
  return p.finish();
}

}  // namespace

catalog::ProgramDef scope1_split_program() {
  return define({.name = "qwen3/scope1-split",
                 .summary = "Q/K/V projection as partial sums in GM, added up by vector tasks",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kRun | kNormKeys | kProjTiles | kSplitKeys,
                            .defaults = form_tiling<161>},
                 .build = build_scope1_split,
                 .inputs = scope1_inputs,
                 .reference = reference::scope1,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
