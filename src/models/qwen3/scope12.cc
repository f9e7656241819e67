#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;

namespace {

ir::Program build_scope12(const Choice& c) {
  Builder p("qwen3/scope12");
  const ProjectionParams in = projection_params(p, c);
  const ContextParams ctx = context_params(p, c);
  const Tensor attn_out = p.output("attn_out", {c.tiling.batch, c.model.q_width()}, DType::BF16);
  const Qkv qkv = qkv_tensors(p, c);
  scope1(p, c, in, qkv);
  scope2(p, c, qkv, ctx, attn_out);
  return p.finish();
}

}  // namespace

catalog::ProgramDef scope12_program() {
  return define({.name = "qwen3/scope12",
                 .summary = "scopes 1 and 2: hidden states to attention output",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kRun | kContext | kNormKeys | kProjectionKeys | kGroupKeys |
                                      kStagedKeys,
                            .defaults = form_tiling<1503>},
                 .build = build_scope12,
                 .inputs = scope12_inputs,
                 .reference = reference::scope12,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
