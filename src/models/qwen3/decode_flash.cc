// The whole layer with nothing between the stages of attention in GM: fused projections, flash
// attention, one task per block of the MLP.
#include <algorithm>

#include "tilewright/models/qwen3/define.h"
#include "tilewright/programs/flash_attention.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

ir::Program flash_layer(const char* name, const Choice& c) {
  Builder p(name);
  const Tiling& t = c.tiling;
  const ProjectionParams in = projection_params(p, c);
  const ContextParams ctx = context_params(p, c);
  const MlpParams mlp = mlp_params(p, c);
  const Tensor attn_out = attention_tensor(p, c);
  const Tensor q = p.tensor("q_rotated", {t.batch, c.model.q_width()}, DType::BF16);
  fused_scope1(p, c, in, ctx, q);

  const Heads h = heads_of(p, c);
  const tilewright::Shape heads{t.batch * h.heads, h.head_dim};
  const AttentionIo io{reshape(q, heads), ctx.k_cache, ctx.v_cache, reshape(attn_out, heads)};
  const FlashAttention flash{
      h, t.seq_tile, t.split_blocks, t.flash_stages, t.group_batch, t.flash_ahead != 0};
  for (Index b : p.parallel(t.batch).named("b"))
    flash_attention(p, flash, io, {b, p.read(ctx.seq_lens, {b})});

  scope3(p, c, attn_out, in.hidden, mlp);
  return p.finish();
}

namespace {

Tiling decode_flash_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t = default_tiling(s, machine);
  t.q_n = std::max(t.q_n, s.head_dim);
  t.kv_n = std::max(t.kv_n, s.head_dim);
  t.mlp_fused = 1;
  t.group_batch = 1;
  return t;
}

}  // namespace

catalog::ProgramDef decode_flash_program() {
  return define({.name = "qwen3/decode-flash",
                 .summary = "the whole layer with attention on chip, optionally split over context",
                 .default_shape = "qwen3-32b",
                 .tiling = {.groups = kFlashLayerKeys, .defaults = decode_flash_tiling},
                 .build = [](const Choice& c) { return flash_layer("qwen3/decode-flash", c); },
                 .inputs = decode_inputs,
                 .reference = reference::decode});
}

}  // namespace tilewright::models::qwen3
