// Scope 2 as it was before its rewrite: Q padding per batch row, buffers cleared before they are
// used, the running softmax state in GM.
#include <algorithm>

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

ir::Program build_scope2_before(const Choice& c) {
  Builder p("qwen3/scope2-before");
  const Tiling& t = c.tiling;
  const Qkv in = qkv_inputs(p, c);
  const ContextParams ctx = context_params(p, c);
  const Tensor attn_out = p.output("attn_out", {t.batch, c.model.q_width()}, DType::BF16);
  const Heads h = heads_of(p, c);
  const int64_t stride = std::max(t.q_pad, h.q_rows);
  const Tensor q = p.tensor("q_padded", {t.batch * h.groups * stride, h.head_dim}, DType::BF16);
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
                       .pad = false};
  const Attention a{h, stride, t.seq_tile, t.block_batch, 1, true};
  const AttentionIo io{q, ctx.k_cache, ctx.v_cache,
                       reshape(attn_out, {t.batch * h.heads, h.head_dim})};
  for (Index b : p.parallel(t.batch).named("b")) {
    const Index length = p.read(ctx.seq_lens, {b});
    {
      auto core = p.incore("clear_q");
      for (Index group : p.range(h.groups).named("g"))
        assemble(q, cast(p.full({stride, h.head_dim}, DType::F32, 0.0), DType::BF16),
                 {(b * h.groups + group) * stride, 0});
    }
    rope_and_cache(p, h, rope, b, length - 1);
    attention_merging_in_gm(p, a, io, {b, length});
  }
  return p.finish();
}

}  // namespace

catalog::ProgramDef scope2_before_program() {
  return define({.name = "qwen3/scope2-before",
                 .summary = "scope 2 before its rewrite: cleared buffers, softmax state in GM",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kRun | kContext | kGroupKeys | kBlockBatch | kPadRows,
                            .defaults = form_tiling<1503>},
                 .build = build_scope2_before,
                 .inputs = scope2_inputs,
                 .reference = reference::scope2,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
