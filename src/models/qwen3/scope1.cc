#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

void project_kv(Builder& p, const Choice& c, const Matrix& normed, const Rows& rows,
                const ProjectionParams& in, const Qkv& out) {
  const Tiling& t = c.tiling;
  const Chain chain = projection_chain(c);
  if (t.kv_fused == 0) {
    projection(p, "k_proj", out.k, normed, rows, in.wk, chain, {t.kv_n, t.kv_chunk});
    projection(p, "v_proj", out.v, normed, rows, in.wv, chain, {t.kv_n, t.kv_chunk});
    return;
  }
  block_tasks(
      p, "kv_proj", p.exact_div(c.model.kv_width(), t.kv_n), t.kv_chunk, [&](const Index& block) {
        const Index n0 = block * t.kv_n;
        if (t.kv_fused == 1) {
          assemble(out.k, project(p, normed, rows, in.wk, n0, t.kv_n, chain), {rows.first, n0});
          assemble(out.v, project(p, normed, rows, in.wv, n0, t.kv_n, chain), {rows.first, n0});
          return;
        }
        const auto sums =
            project(p, rows_of(normed, rows, t.proj_k), rows, {in.wk, in.wv}, n0, t.kv_n, chain);
        assemble(out.k, sums[0], {rows.first, n0});
        assemble(out.v, sums[1], {rows.first, n0});
      },
      projection_options(normed));
}

}  // namespace

void scope1(Builder& p, const Choice& c, const ProjectionParams& in, const Qkv& out) {
  const Tiling& t = c.tiling;
  const Matrix normed = normed_tensor(p, c, "normed");
  each_row_tile(p, c, [&](const Rows& rows) {
    rms_norm(p, "input_norm", normed, in.hidden, in.gamma, rows, norm_of(c));
    projection(p, "q_proj", out.q, normed, rows, in.wq, projection_chain(c), {t.q_n, t.q_chunk});
    project_kv(p, c, normed, rows, in, out);
  });
}

namespace {

ir::Program build_scope1(const Choice& c) {
  Builder p("qwen3/scope1");
  const ProjectionParams in = projection_params(p, c);
  scope1(p, c, in, qkv_outputs(p, c));
  return p.finish();
}

}  // namespace

catalog::ProgramDef scope1_program() {
  return define({.name = "qwen3/scope1",
                 .summary = "RMSNorm and Q/K/V projection with sums in the cube accumulator",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kRun | kNormKeys | kProjectionKeys | kFormKey,
                            .defaults = form_tiling<161>,
                            .forms = {161, 37, 49}},
                 .build = build_scope1,
                 .inputs = scope1_inputs,
                 .reference = reference::scope1,
                 .tolerance = kScopeTolerance});
}

}  // namespace tilewright::models::qwen3
