// The second half of a layer with experts, after attention: norm, router, and the experts that it
// chooses. Weights are [out, in] as in checkpoints, those of all experts one after the other.
#include "tilewright/models/qwen3/moe_decode.h"

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

Experts experts_of(const Choice& c) {
  const ModelConfig& s = c.model;
  return {.count = s.experts,
          .per_row = s.experts_per_token,
          .rows = c.tiling.batch,
          .group_rows = std::min(c.tiling.batch_tile, c.tiling.batch),
          .hidden = s.hidden,
          .inner = s.intermediate,
          .renormalises = s.renormalises};
}

namespace {

ir::Program build_moe(const Choice& c) {
  Builder p("qwen3/moe-decode");
  const ModelConfig& s = c.model;
  const Tiling& t = c.tiling;
  const Experts e = experts_of(c);
  const Tensor hidden = p.input("hidden_states", {t.batch, s.hidden}, DType::F32);
  const Tensor gamma = p.weight("post_rms_weight", {1, s.hidden}, DType::F32);
  const Tensor router = p.weight("w_router", {e.count, s.hidden}, DType::BF16);
  const Tensor counts = p.input("counts", {1}, DType::I32);
  const Tensor groups = p.input("groups", e.groups_shape(), DType::I32);
  const Tensor members = p.input("members", e.members_shape(), DType::I32);
  const Tensor places = p.input("places", e.choice_shape(), DType::I32);
  const Tensor gate = p.weight("w_gate", {e.count * e.inner, e.hidden}, DType::BF16);
  const Tensor up = p.weight("w_up", {e.count * e.inner, e.hidden}, DType::BF16);
  const Tensor down = p.weight("w_down", {e.count * e.hidden, e.inner}, DType::BF16);
  const RouterIo choice{p.output("chosen", e.choice_shape(), DType::I32),
                        p.output("expert_weights", e.choice_shape(), DType::F32)};
  const Tensor out = p.output("out", {t.batch, s.hidden}, DType::F32);
  const Tensor normed = p.tensor("post_normed", {t.batch, s.hidden}, DType::BF16);
  const Chain chain{
      .depth = s.hidden, .k_tile = t.mlp_k, .stages = t.mlp_stages, .transposed = true};
  each_row_tile(p, c, [&](const Rows& rows) {
    rms_norm(p, "post_norm", normed, hidden, gamma, rows, norm_of(c));
    route(p, e, choice, normed, rows, router, chain, t.norm_rows);
  });
  const ExpertsIo io{.out = out,
                     .x = normed,
                     .residual = hidden,
                     .weights = reshape(choice.weights, {t.batch * e.per_row, 1}),
                     .groups = groups,
                     .members = members,
                     .places = places,
                     .gate = gate,
                     .up = up,
                     .down = down};
  experts(p, e, io, t.batch, p.let("group_count", p.read(counts, {0})),
          {.chain = chain,
           .down_chain = {.depth = s.intermediate,
                          .k_tile = t.down_k,
                          .stages = t.mlp_stages,
                          .transposed = true},
           .blocks = {t.mlp_n, t.mlp_chunk},
           .down_blocks = {t.down_n, t.down_chunk},
           .sum_rows = 1});
  return p.finish();
}

Tiling moe_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t;
  t.mlp_n = machine.device ? 128 : 256;
  t.mlp_k = machine.device ? 256 : s.hidden / 2;
  t.down_n = machine.device ? 128 : 256;
  t.down_k = s.intermediate / (machine.device ? 4 : 2);  // two whole rounds of two stages
  t.down_chunk = 1;
  return fitted(t, s);
}

}  // namespace

catalog::ProgramDef moe_decode_program() {
  catalog::ProgramDef def =
      define({.name = "qwen3/moe-decode",
              .summary = "norm, router and experts of a layer; only the experts in use are read",
              .default_shape = "qwen3-30b-a3b",
              .tiling = {.groups = kRun | kNormKeys | kMlpKeys | kExpertKeys, .defaults = moe_tiling},
              .build = build_moe,
              .inputs = moe_inputs,
              .reference = reference::moe});
  def.tolerances["chosen"] = {0, 0};
  def.tolerances["expert_weights"] = {1e-4, 1e-5};
  def.validate = [groups = kRun | kNormKeys | kMlpKeys | kExpertKeys, name = def.name](
                     const catalog::Config& config, const catalog::Arrays& io) {
    validate_groups(choice_of({.groups = groups, .defaults = moe_tiling}, config), name, io);
  };
  return def;
}

}  // namespace tilewright::models::qwen3
