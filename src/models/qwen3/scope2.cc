#include <algorithm>

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

void attention_rows(Builder& p, const Choice& c, const Tensor& q, int64_t q_stride,
                    const ContextParams& ctx, const Tensor& attn_out,
                    const std::function<void(const Index&, const Index&)>& before) {
  const Tiling& t = c.tiling;
  const Heads h = heads_of(p, c);
  const Attention a{h, q_stride, t.seq_tile, t.block_batch, t.group_batch, t.zero_fill != 0};
  const AttentionIo io{q, ctx.k_cache, ctx.v_cache,
                       reshape(attn_out, {t.batch * h.heads, h.head_dim})};
  for (Index b : p.parallel(t.batch).named("b")) {
    const Index length = p.read(ctx.seq_lens, {b});
    if (before) before(b, length);
    attention(p, a, io, {b, length});
  }
}

void scope2(Builder& p, const Choice& c, const Qkv& in, const ContextParams& ctx,
            const Tensor& attn_out) {
  const Tiling& t = c.tiling;
  const Heads h = heads_of(p, c);
  const int64_t stride = std::max(t.q_pad, h.q_rows);
  const Tensor q = p.tensor("q_padded", {t.batch * h.groups * stride, h.head_dim}, DType::BF16);
  if (t.pad_stage && stride > h.q_rows) {
    auto core = p.incore("pad_q");
    for (Index group : p.range(t.batch * h.groups).named("g")) pad_group(p, h, q, stride, group);
  }

  const RopeCache rope{.q = reshape(in.q, {t.batch * h.heads, h.head_dim}),
                       .k = reshape(in.k, {t.batch * h.kv_heads, h.head_dim}),
                       .v = reshape(in.v, {t.batch * h.kv_heads, h.head_dim}),
                       .cos = ctx.cos,
                       .sin = ctx.sin,
                       .k_cache = ctx.k_cache,
                       .v_cache = ctx.v_cache,
                       .q_out = q,
                       .q_gamma = ctx.q_gamma,
                       .k_gamma = ctx.k_gamma,
                       .eps = c.model.rms_norm_eps,
                       .q_stride = stride,
                       .pad = t.pad_stage == 0};
  attention_rows(p, c, q, stride, ctx, attn_out, [&](const Index& b, const Index& length) {
    rope_and_cache(p, h, rope, b, length - 1);
  });
}

namespace {

ir::Program build_scope2(const Choice& c) {
  Builder p("qwen3/scope2");
  const Qkv in = qkv_inputs(p, c);
  const ContextParams ctx = context_params(p, c);
  scope2(p, c, in, ctx, p.output("attn_out", {c.tiling.batch, c.model.q_width()}, DType::BF16));
  return p.finish();
}

}  // namespace

catalog::ProgramDef scope2_program() {
  return define({.name = "qwen3/scope2",
                 .summary = "RoPE, cache write and attention in stages, merged from block 0",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kRun | kContext | kGroupKeys | kStagedKeys,
                            .defaults = form_tiling<1251>},
                 .build = build_scope2,
                 .inputs = scope2_inputs,
                 .reference = reference::scope2,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
