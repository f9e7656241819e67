// The whole layer: scopes 1, 2 and 3 with FP32 projections and the BF16 attention in GM between
// them.
#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;

ir::Program staged_layer(const char* name, const Choice& c) {
  Builder p(name);
  const ProjectionParams in = projection_params(p, c);
  const ContextParams ctx = context_params(p, c);
  const MlpParams mlp = mlp_params(p, c);
  const Qkv qkv = qkv_tensors(p, c);
  const Tensor attn_out = attention_tensor(p, c);
  scope1(p, c, in, qkv);
  scope2(p, c, qkv, ctx, attn_out);
  scope3(p, c, attn_out, in.hidden, mlp);
  return p.finish();
}

namespace {

// Every vector operand within 2 KiB and every cube operand within 16 KiB: four rows a tile, four Q
// heads a group, no padding.
Tiling tilelet(const ModelConfig& s, const catalog::Machine&) {
  Tiling t = decode_form(1251, s);
  t.batch_tile = 4;
  t.norm_k = 128;
  t.proj_k = 128;
  t.q_chunk = 4;
  t.kv_chunk = 4;
  t.kv_fused = 2;
  t.q_head_batch = 4;
  t.q_pad = 1;
  t.pad_stage = 0;
  t.o_chunk = 4;
  t.o_fused = 1;
  t.mlp_n = 64;
  t.mlp_chunk = 4;
  t.mlp_fused = 1;
  t.down_k = 128;
  t.down_n = 64;
  t.down_chunk = 4;
  t.down_fused = 1;
  return fitted(t, s);
}

}  // namespace

catalog::ProgramDef decode_program() {
  return define(
      {.name = "qwen3/decode",
       .summary = "one decode step of the whole layer",
       .default_shape = "qwen3-32b",
       .tiling = {.groups = kStagedLayerKeys | kFormKey, .forms = {1503, 1379, 1375, 1251, 964, 642}},
       .build = [](const Choice& c) { return staged_layer("qwen3/decode", c); },
       .inputs = decode_inputs,
       .reference = reference::decode});
}

catalog::ProgramDef decode_tilelet_program() {
  catalog::ProgramDef def =
      define({.name = "qwen3/decode-tilelet",
              .summary = "the layer, vector operands within 2 KiB, cube operands within 16 KiB",
              .default_shape = "qwen3-32b-wide",
              .tiling = {.groups = kStagedLayerKeys, .defaults = tilelet},
              .build = [](const Choice& c) { return staged_layer("qwen3/decode-tilelet", c); },
              .inputs = decode_inputs,
              .reference = reference::decode});
  def.vector_budget = 2048;
  def.cube_budget = 16384;
  return def;
}

}  // namespace tilewright::models::qwen3
