#include "tilewright/models/qwen3/define.h"
#include "tilewright/programs/swiglu.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

SwigluForm swiglu_form(int64_t fused) {
  return fused == 0   ? SwigluForm::ThreeTasks
         : fused == 1 ? SwigluForm::OneTask
                      : SwigluForm::TwoTasks;
}

Epilogue epilogue(int64_t fused) {
  return fused == 0 ? Epilogue::Separate : fused == 1 ? Epilogue::Fused : Epilogue::Pairs;
}

}  // namespace

void scope3(Builder& p, const Choice& c, const Tensor& attn_out, const Tensor& hidden,
            const MlpParams& in) {
  const ModelConfig& s = c.model;
  const Tiling& t = c.tiling;
  const Tensor resid1 = p.tensor("resid1", {t.batch, s.hidden}, DType::F32);
  const Matrix normed = normed_tensor(p, c, "post_normed");
  const Tensor mlp = p.tensor("mlp", {t.batch, s.intermediate}, DType::BF16);
  const Matrix attn_operand = operand_of(p, c, "attn", attn_out);
  const Matrix mlp_operand = operand_of(p, c, "mlp", mlp);
  each_row_tile(p, c, [&](const Rows& rows) {
    if (t.zero_init) zero_columns(p, "clear_resid1", resid1, rows, t.o_n);
    quantise(p, "attn_quant", attn_operand, attn_out, rows,
             quantise_of(c, s.q_width(), t.attn_quant_k));
    projection_residual(p, "out_proj", resid1, attn_operand, rows, in.wo, hidden,
                        {s.q_width(), t.o_k, t.mlp_stages}, {t.o_n, t.o_chunk},
                        epilogue(t.o_fused));
    rms_norm(p, "post_norm", normed, resid1, in.gamma, rows, norm_of(c));
    if (t.zero_init) zero_columns(p, "clear_mlp", mlp, rows, t.mlp_n);
    swiglu(p, mlp, normed, rows, in.w_gate, in.w_up, {s.hidden, t.mlp_k, t.mlp_stages},
           {t.mlp_n, t.mlp_chunk}, swiglu_form(t.mlp_fused));
    quantise(p, "mlp_quant", mlp_operand, mlp, rows,
             quantise_of(c, s.intermediate, t.mlp_quant_k));
    projection_residual(p, "down", in.out, mlp_operand, rows, in.w_down, resid1,
                        {s.intermediate, t.down_k, t.mlp_stages}, {t.down_n, t.down_chunk},
                        epilogue(t.down_fused));
  });
}

ir::Program scope3_alone(const char* name, const Choice& c) {
  Builder p(name);
  const Tensor attn_out = p.input("attn_out", {c.tiling.batch, c.model.q_width()}, DType::BF16);
  const Tensor hidden = p.input("hidden_states", {c.tiling.batch, c.model.hidden}, DType::BF16);
  scope3(p, c, attn_out, hidden, mlp_params(p, c));
  return p.finish();
}

namespace {

constexpr unsigned kKeys = kRun | kScope3Keys;

// Tasks that clear what is overwritten anyway; 64 MLP columns a block.
Tiling tiling_1651(const ModelConfig& s, const catalog::Machine&) {
  Tiling t = decode_form(1251, s);
  t.norm_k = 128;
  t.mlp_n = 64;
  t.down_k = 64;
  t.zero_init = 1;
  return fitted(t, s);
}

// No clearing; residuals join their projections; 256 MLP columns a block.
Tiling tiling_365(const ModelConfig& s, const catalog::Machine&) {
  Tiling t = decode_form(964, s);
  t.o_chunk = 4;
  t.down_chunk = 2;
  return fitted(t, s);
}

}  // namespace

catalog::ProgramDef scope3_program() {
  return define({.name = "qwen3/scope3",
                 .summary = "output projection, MLP and residuals, reductions inside the cube",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kKeys, .defaults = tiling_1651},
                 .build = [](const Choice& c) { return scope3_alone("qwen3/scope3", c); },
                 .inputs = scope3_inputs,
                 .reference = reference::scope3});
}

catalog::ProgramDef scope3_fused_program() {
  return define({.name = "qwen3/scope3-fused",
                 .summary = "scope 3 with residuals added in the projection tasks, nothing cleared",
                 .default_shape = "qwen3-32b-wide",
                 .tiling = {.groups = kKeys, .defaults = tiling_365},
                 .build = [](const Choice& c) { return scope3_alone("qwen3/scope3-fused", c); },
                 .inputs = scope3_inputs,
                 .reference = reference::scope3});
}

}  // namespace tilewright::models::qwen3
