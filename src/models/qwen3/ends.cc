// The two ends of the model: token embedding, and final norm with the LM head.
#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

ir::Program build_embed(const Choice& c) {
  Builder p("qwen3/embed");
  const ModelConfig& s = c.model;
  const Tensor ids = p.input("token_ids", {c.tiling.batch}, DType::I32);
  const Tensor table = p.weight("w_embed", {s.vocab, s.hidden}, DType::BF16);
  const Tensor out = p.output("hidden_states", {c.tiling.batch, s.hidden}, DType::BF16);
  for (Index b : p.parallel(c.tiling.batch).named("b")) {
    const Index id = p.read(ids, {b});
    auto core = p.incore("embed");
    assemble(out, slice(table, {1, s.hidden}, {id, 0}), {b, 0});
  }
  return p.finish();
}

// The weight is stored as in checkpoints, [vocab, hidden], so that tied embeddings need one array.
ir::Program build_lm_head(const Choice& c) {
  Builder p("qwen3/lm-head");
  const ModelConfig& s = c.model;
  const Tiling& t = c.tiling;
  const Tensor hidden = p.input("hidden_states", {t.batch, s.hidden}, DType::BF16);
  const Tensor gamma = p.weight("final_rms_weight", {1, s.hidden}, DType::F32);
  const Tensor w = p.weight("w_lm", {s.vocab, s.hidden}, DType::BF16);
  const Tensor logits = p.output("logits", {t.batch, s.vocab}, DType::F32);
  const Tensor normed = p.tensor("normed", {t.batch, s.hidden}, DType::BF16);
  each_row_tile(p, c, [&](const Rows& rows) {
    rms_norm(p, "final_norm", normed, hidden, gamma, rows, norm_of(c));
    projection(p, "lm_head", logits, normed, rows, w,
               {.depth = s.hidden, .k_tile = t.lm_k, .stages = 2, .transposed = true},
               {t.lm_n, t.lm_chunk});
  });
  return p.finish();
}

}  // namespace

catalog::ProgramDef embed_program() {
  return define({.name = "qwen3/embed",
                 .summary = "rows of the embedding table for a batch of token ids",
                 .default_shape = "qwen3-32b",
                 .tiling = {.groups = kEmbedKeys},
                 .build = build_embed,
                 .inputs = embed_inputs,
                 .reference = reference::embed,
                 .tolerance = {0, 0}});
}

catalog::ProgramDef lm_head_program(const std::optional<GivenModel>& given) {
  return define({.name = "qwen3/lm-head",
                 .summary = "final RMSNorm and logits",
                 .default_shape = "qwen3-32b",
                 .tiling = {.groups = kRun | kNormKeys | kLmKeys, .given = given},
                 .build = build_lm_head,
                 .inputs = lm_head_inputs,
                 .reference = reference::lm_head,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
