// Scope 3 as it was before its rewrite: the down projection is accumulated in GM by every MLP
// block, and everything that is accumulated or assembled is cleared first.
#include "tilewright/models/qwen3/define.h"
#include "tilewright/programs/swiglu.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

// Two tasks: the product with one block of MLP columns, and its addition to the sum in GM.
void add_down_block(Builder& p, const Choice& c, const Tensor& down, const Tensor& mlp_block,
                    const Rows& rows, const Tensor& w_down, const Index& m0, const Index& n0) {
  const Tiling& t = c.tiling;
  const Rows local{0, rows.tile, rows.valid, rows.partial};
  const Tensor partial = p.tensor("down_partial", {rows.tile, t.down_n}, DType::F32);
  {
    auto core = p.incore("down");
    const Tile y = load_rows(mlp_block, local, t.mlp_n, 0);
    assemble(partial, matmul(y, slice(w_down, {t.mlp_n, t.down_n}, {m0, n0})), {0, 0});
  }
  auto core = p.incore("down_add");
  const Tile sum = load_rows(down, rows, t.down_n, n0);
  assemble(down, add(sum, load_rows(partial, local, t.down_n, 0)), {rows.first, n0});
}

ir::Program build_scope3_before(const Choice& c) {
  Builder p("qwen3/scope3-before");
  const ModelConfig& s = c.model;
  const Tiling& t = c.tiling;
  const Tensor attn_out = p.input("attn_out", {t.batch, s.q_width()}, DType::BF16);
  const Tensor hidden = p.input("hidden_states", {t.batch, s.hidden}, DType::BF16);
  const MlpParams in = mlp_params(p, c);
  const Tensor resid1 = p.tensor("resid1", {t.batch, s.hidden}, DType::F32);
  const Tensor normed = p.tensor("post_normed", {t.batch, s.hidden}, DType::BF16);
  const Tensor down = p.tensor("down_sum", {t.batch, s.hidden}, DType::F32);
  each_row_tile(p, c, [&](const Rows& rows) {
    zero_columns(p, "clear_resid1", resid1, rows, t.o_n);
    projection_residual(p, "out_proj", resid1, attn_out, rows, in.wo, hidden,
                        {s.q_width(), t.o_k, t.mlp_stages}, {t.o_n, 1}, Epilogue::Separate);
    {
      auto core = p.incore("post_norm");
      rms_norm_rows(p, normed, resid1, in.gamma, rows, norm_of(c));
      for (Index n : p.range(p.exact_div(s.hidden, t.norm_k)).named("kb"))
        assemble(down, zero_rows(p, rows, t.norm_k), {rows.first, n * t.norm_k});
    }
    const int64_t out_blocks = p.exact_div(s.hidden, t.down_n);
    for (Index mb : p.range(p.exact_div(s.intermediate, t.mlp_n)).named("mb")) {
      const Index m0 = mb * t.mlp_n;
      const Tensor mlp_block = p.tensor("mlp_block", {rows.tile, t.mlp_n}, DType::BF16);
      swiglu_block(p, mlp_block, {0, 0}, normed, rows, in.w_gate, in.w_up, m0, t.mlp_n,
                   {s.hidden, t.mlp_k, t.mlp_stages});
      for (Index ob : p.parallel(out_blocks).named("ob"))
        add_down_block(p, c, down, mlp_block, rows, in.w_down.values, m0, ob * t.down_n);
    }
    block_tasks(p, "residual", out_blocks, 1, [&](const Index& block) {
      const Index n0 = block * t.down_n;
      const Tile sum = load_rows(down, rows, t.down_n, n0);
      const Tile total = add(sum, load_rows(resid1, rows, t.down_n, n0));
      assemble(in.out, cast(total, DType::BF16), {rows.first, n0});
    });
  });
  return p.finish();
}

Tiling scope3_before_tiling(const ModelConfig& s, const catalog::Machine&) {
  Tiling t = decode_form(1251, s);
  t.norm_k = 128;
  t.mlp_n = 64;
  return fitted(t, s);
}

}  // namespace

catalog::ProgramDef scope3_before_program() {
  return define({.name = "qwen3/scope3-before",
                 .summary = "scope 3 before its rewrite: down projection accumulated in GM",
                 .default_shape = "qwen3-32b-narrow",
                 .tiling = {.groups = kRun | kNormKeys | kOutKeys | kMlpKeys,
                            .defaults = scope3_before_tiling},
                 .build = build_scope3_before,
                 .inputs = scope3_inputs,
                 .reference = reference::scope3});
}

}  // namespace tilewright::models::qwen3
