// Q/K/V projection that normalises its left operand on the fly: the normed rows never reach GM, and
// K and V share one loop.
#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

// Sums of squares of column blocks by parallel tasks, then one task for 1 / rms of every row.
void inverse_rms_tasks(Builder& p, const Choice& c, const Tensor& inverse_rms, const Tensor& hidden,
                       const Rows& rows) {
  const Tiling& t = c.tiling;
  const int64_t blocks = p.exact_div(c.model.hidden, t.proj_k);
  const Tensor partial = p.tensor("sq_partials", {blocks * rows.tile, 1}, DType::F32);
  const auto part = [&](const Index& block) {
    return Rows{block * rows.tile, rows.tile, rows.valid, rows.partial};
  };
  block_tasks(p, "sum_squares", blocks, t.sq_chunk, [&](const Index& block) {
    assemble(partial, sum_of_squares(hidden, rows, t.proj_k, block * t.proj_k),
             {part(block).first, 0});
  });
  auto core = p.incore("inverse_rms");
  const Tile sum = zero_rows(p, rows, 1).named("sum_sq");
  for (Index block : p.range(blocks).named("block"))
    assign(sum, add(sum, load_rows(partial, part(block), 1, 0)));
  assemble(inverse_rms, inverse_root(sum, c.model.hidden, c.model.rms_norm_eps), {rows.first, 0});
}

ir::Program build_scope1_fused_norm(const Choice& c) {
  Builder p("qwen3/scope1-fused-norm");
  const Tiling& t = c.tiling;
  const ProjectionParams in = projection_params(p, c);
  const Qkv out = qkv_outputs(p, c);
  const Tensor inverse_rms = p.tensor("inverse_rms", {t.batch, 1}, DType::F32);
  const Chain chain = projection_chain(c);
  each_row_tile(p, c, [&](const Rows& rows) {
    inverse_rms_tasks(p, c, inverse_rms, in.hidden, rows);
    const auto project_normed = [&](const std::vector<Matrix>& weights, const Index& n0,
                                    int64_t n_tile) {
      const Tile inverse = load_rows(inverse_rms, rows, 1, 0);
      const Left left{[&](const Index& k0) {
        return normalised(in.hidden, in.gamma, inverse, rows, t.proj_k, k0);
      }};
      return project(p, left, rows, weights, n0, n_tile, chain);
    };
    block_tasks(p, "q_proj", p.exact_div(out.q.dim(1), t.q_n), t.q_chunk,
                [&](const Index& block) {
                  const Index n0 = block * t.q_n;
                  assemble(out.q, project_normed({in.wq}, n0, t.q_n)[0], {rows.first, n0});
                },
                {.split = Split::UpDown});
    block_tasks(p, "kv_proj", p.exact_div(out.k.dim(1), t.kv_n), t.kv_chunk,
                [&](const Index& block) {
                  const auto sums = project_normed({in.wk, in.wv}, block * t.kv_n, t.kv_n);
                  assemble(out.k, sums[0], {rows.first, block * t.kv_n});
                  assemble(out.v, sums[1], {rows.first, block * t.kv_n});
                },
                {.split = Split::UpDown});
  });
  return p.finish();
}

Tiling scope1_fused_norm_tiling(const ModelConfig& s, const catalog::Machine&) {
  Tiling t = decode_form(37, s);
  t.q_chunk = 3;
  t.kv_chunk = 3;
  return fitted(t, s);
}

}  // namespace

catalog::ProgramDef scope1_fused_norm_program() {
  return define({.name = "qwen3/scope1-fused-norm",
                 .summary = "Q/K/V projection that normalises its input on the fly",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kRun | kProjTiles | kProjTasks | kFusedNormKeys,
                            .defaults = scope1_fused_norm_tiling},
                 .build = build_scope1_fused_norm,
                 .inputs = scope1_inputs,
                 .reference = reference::scope1,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
