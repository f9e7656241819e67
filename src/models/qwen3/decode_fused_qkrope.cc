// The whole layer with RoPE, padding and cache writes next to the projections, so that scope 2
// starts at attention. Two forms: rope_fused=1 rotates whole tiles in the projection tasks;
// rope_fused=0 is the published source form, a projection task and a rotation task per head.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

// The source form. Each rotation task reads seq_lens for every row, cuts the rows into halves and
// stores them one by one: right, and slower than not fusing.
struct PerHead {
  Builder& p;
  const Choice& c;
  const ContextParams& ctx;
  const Rows& rows;
  const Tensor& normed;
  Heads h;

  Tensor head_sums(const char* name, const Matrix& weight, const Index& head) const {
    const Tensor sums = p.tensor("head_acc", {rows.tile, h.head_dim}, DType::F32);
    auto core = p.incore(name);
    assemble(sums,
             project(p, normed, rows, weight, head * h.head_dim, h.head_dim, projection_chain(c)),
             {0, 0});
    return sums;
  }

  // In a scope: body(batch row, position, row of the tile).
  template <class Body>
  void each_row(Body&& body) const {
    for (Index r : p.range(rows.valid).named("r")) {
      const Index b = rows.first + r;
      body(b, p.read(ctx.seq_lens, {b}) - 1, r);
    }
  }

  void rotate_row(const Tensor& sums, const Index& r, const Index& position,
                  const std::optional<Tensor>& gamma, const Tensor& to, const Index& row) const {
    const Halves u = load_halves(sums, r, 1, h.half());
    const RopeTable table = table_at(ctx.cos, ctx.sin, position, h.half());
    const Halves y = rotate(gamma ? normalise_heads(u, *gamma, c.model.rms_norm_eps) : u, table);
    assemble(to, cast(y.low, DType::BF16), {row, 0});
    assemble(to, cast(y.high, DType::BF16), {row, h.half()});
  }

  void q_heads(const Matrix& wq, const Tensor& q_padded, int64_t stride) const {
    for (Index head : p.parallel(h.heads).named("head")) {
      const Tensor sums = head_sums("q_head", wq, head);
      auto core = p.incore("q_head_rope");
      each_row([&](const Index& b, const Index& position, const Index& r) {
        const Index group = b * h.groups + head / h.q_rows;
        rotate_row(sums, r, position, ctx.q_gamma, q_padded, group * stride + head % h.q_rows);
      });
    }
  }

  void k_heads(const Matrix& wk) const {
    for (Index head : p.parallel(h.kv_heads).named("head")) {
      const Tensor sums = head_sums("k_head", wk, head);
      auto core = p.incore("k_head_rope");
      each_row([&](const Index& b, const Index& position, const Index& r) {
        rotate_row(sums, r, position, ctx.k_gamma, ctx.k_cache, h.cache_row(b, head) + position);
      });
    }
  }

  void v_heads(const Matrix& wv) const {
    for (Index head : p.parallel(h.kv_heads).named("head")) {
      const Tensor sums = head_sums("v_head", wv, head);
      auto core = p.incore("v_head_cache");
      each_row([&](const Index& b, const Index& position, const Index& r) {
        assemble(ctx.v_cache, cast(slice(sums, {1, h.head_dim}, {r, 0}), DType::BF16),
                 {h.cache_row(b, head) + position, 0});
      });
    }
  }
};

void per_head_scopes(Builder& p, const Choice& c, const ProjectionParams& in,
                     const ContextParams& ctx, const Tensor& attn_out) {
  const Tiling& t = c.tiling;
  const Heads h = heads_of(p, c);
  if (t.q_n != h.head_dim || t.kv_n != h.head_dim || t.q_chunk != 1 || t.kv_chunk != 1)
    p.report("rope-form",
             fmt::format("rope_fused=0 with q_n={}, kv_n={}, q_chunk={}, kv_chunk={}", t.q_n,
                         t.kv_n, t.q_chunk, t.kv_chunk),
             "the per-head form has one task per head",
             fmt::format("set q_n and kv_n to {} and both chunks to 1, or rope_fused=1",
                         h.head_dim),
             {});
  const int64_t stride = std::max(t.q_pad, h.q_rows);
  const Tensor q = p.tensor("q_padded", {t.batch * h.groups * stride, h.head_dim}, DType::BF16);
  if (stride > h.q_rows) {
    auto core = p.incore("pad_q");
    for (Index group : p.range(t.batch * h.groups).named("g")) pad_group(p, h, q, stride, group);
  }
  const Tensor normed = p.tensor("normed", {t.batch, c.model.hidden}, DType::BF16);
  each_row_tile(p, c, [&](const Rows& rows) {
    rms_norm(p, "input_norm", normed, in.hidden, in.gamma, rows, norm_of(c));
    const PerHead per_head{p, c, ctx, rows, normed, h};
    per_head.q_heads(in.wq, q, stride);
    per_head.k_heads(in.wk);
    per_head.v_heads(in.wv);
  });
  attention_rows(p, c, q, stride, ctx, attn_out);
}

ir::Program build_decode_fused_qkrope(const Choice& c) {
  Builder p("qwen3/decode-fused-qkrope");
  const ProjectionParams in = projection_params(p, c);
  const ContextParams ctx = context_params(p, c);
  const MlpParams mlp = mlp_params(p, c);
  const Tensor attn_out = attention_tensor(p, c);
  if (c.tiling.rope_fused) {
    const Heads h = heads_of(p, c);
    const Tensor q = p.tensor("q_rotated", {c.tiling.batch, c.model.q_width()}, DType::BF16);
    fused_scope1(p, c, in, ctx, q);
    attention_rows(p, c, reshape(q, {h.batch * h.heads, h.head_dim}), h.q_rows, ctx, attn_out);
  } else {
    per_head_scopes(p, c, in, ctx, attn_out);
  }
  scope3(p, c, attn_out, in.hidden, mlp);
  return p.finish();
}

// Blocks of whole heads.
Tiling decode_fused_qkrope_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t = default_tiling(s, machine);
  t.q_n = std::max(t.q_n, s.head_dim);
  t.kv_n = std::max(t.kv_n, s.head_dim);
  return t;
}

}  // namespace

catalog::ProgramDef decode_fused_qkrope_program() {
  return define(
      {.name = "qwen3/decode-fused-qkrope",
       .summary = "the whole layer, RoPE and cache writes in the projection tasks",
       .default_shape = "qwen3-32b",
       .tiling = {.groups = kRun | kContext | kProjTiles | kProjTasks | kFusedRope | kGroupKeys |
                            kBlockBatch | kGroupBatch | kZeroFill | kScope3Keys | kFormKey,
                  .defaults = decode_fused_qkrope_tiling,
                  .forms = {1359}},
       .build = build_decode_fused_qkrope,
       .inputs = decode_inputs,
       .reference = reference::decode});
}

}  // namespace tilewright::models::qwen3
