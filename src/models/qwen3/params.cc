#include "tilewright/models/qwen3/layer.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using programs::Matrix;

namespace {

// Codes of the numbers of a matrix, and their scales.
Matrix codes_in_gm(Builder& p, const std::string& name, int64_t rows, int64_t columns) {
  const Tensor codes = p.tensor(name + "_codes", {rows, columns}, DType::I8);
  return {codes, p.tensor(name + "_scales", {rows, 1}, DType::F32)};
}

}  // namespace

Matrix weight_param(Builder& p, const Choice& c, const std::string& name, int64_t rows,
                    int64_t columns) {
  if (!c.a8w8) return p.weight(name, {rows, columns}, DType::BF16);
  const Tensor codes = p.weight(name, {rows, columns}, DType::I8);
  return {codes, p.weight(name + "_scale", {1, columns}, DType::F32)};
}

Matrix normed_tensor(Builder& p, const Choice& c, const std::string& name) {
  const int64_t rows = c.tiling.batch, columns = c.model.hidden;
  if (c.a8w8) return codes_in_gm(p, name, rows, columns);
  return p.tensor(name, {rows, columns}, DType::BF16);
}

Matrix operand_of(Builder& p, const Choice& c, const std::string& name, const Tensor& x) {
  return c.a8w8 ? codes_in_gm(p, name, x.dim(0), x.dim(1)) : Matrix(x);
}

ProjectionParams projection_params(Builder& p, const Choice& c) {
  const ModelConfig& s = c.model;
  return {p.input("hidden_states", {c.tiling.batch, s.hidden}, DType::BF16),
          p.weight("input_rms_weight", {1, s.hidden}, DType::F32),
          weight_param(p, c, "wq", s.hidden, s.q_width()),
          weight_param(p, c, "wk", s.hidden, s.kv_width()),
          weight_param(p, c, "wv", s.hidden, s.kv_width())};
}

ContextParams context_params(Builder& p, const Choice& c) {
  const ModelConfig& s = c.model;
  const Tiling& t = c.tiling;
  const int64_t cache_rows = t.batch * s.kv_heads * t.max_seq;
  std::optional<Tensor> q_gamma, k_gamma;
  if (c.qk_norm) {
    q_gamma.emplace(p.weight("q_norm_weight", {1, s.head_dim}, DType::F32));
    k_gamma.emplace(p.weight("k_norm_weight", {1, s.head_dim}, DType::F32));
  }
  return {q_gamma,
          k_gamma,
          p.input("seq_lens", {t.batch}, DType::I32),
          p.weight("rope_cos", {t.max_seq, s.head_dim}, DType::F32),
          p.weight("rope_sin", {t.max_seq, s.head_dim}, DType::F32),
          p.state("k_cache", {cache_rows, s.head_dim}, DType::BF16),
          p.state("v_cache", {cache_rows, s.head_dim}, DType::BF16)};
}

MlpParams mlp_params(Builder& p, const Choice& c) {
  const ModelConfig& s = c.model;
  return {weight_param(p, c, "wo", s.q_width(), s.hidden),
          p.weight("post_rms_weight", {1, s.hidden}, DType::F32),
          weight_param(p, c, "w_gate", s.hidden, s.intermediate),
          weight_param(p, c, "w_up", s.hidden, s.intermediate),
          weight_param(p, c, "w_down", s.intermediate, s.hidden),
          p.output("out", {c.tiling.batch, s.hidden}, DType::BF16)};
}

namespace {

template <class Make>
Qkv make_qkv(const Choice& c, Make&& make) {
  const ModelConfig& s = c.model;
  return {make("q_proj", tilewright::Shape{c.tiling.batch, s.q_width()}),
          make("k_proj", tilewright::Shape{c.tiling.batch, s.kv_width()}),
          make("v_proj", tilewright::Shape{c.tiling.batch, s.kv_width()})};
}

}  // namespace

Qkv qkv_tensors(Builder& p, const Choice& c) {
  return make_qkv(c, [&](const char* n, Shape s) { return p.tensor(n, std::move(s), DType::F32); });
}
Qkv qkv_outputs(Builder& p, const Choice& c) {
  return make_qkv(c, [&](const char* n, Shape s) { return p.output(n, std::move(s), DType::F32); });
}
Qkv qkv_inputs(Builder& p, const Choice& c) {
  return make_qkv(c, [&](const char* n, Shape s) { return p.input(n, std::move(s), DType::F32); });
}

Tensor attention_tensor(Builder& p, const Choice& c) {
  return p.tensor("attn_out", {c.tiling.batch, c.model.q_width()}, DType::BF16);
}

programs::Heads heads_of(Builder& p, const Choice& c) {
  return programs::make_heads(p, c.tiling.batch, c.model.heads, c.model.kv_heads, c.model.head_dim,
                              c.tiling.max_seq, c.tiling.q_head_batch);
}

programs::RmsNorm norm_of(const Choice& c) {
  return {c.model.hidden, c.tiling.norm_k, c.tiling.norm_stages, c.tiling.norm_rows, c.model.rms_norm_eps};
}

programs::Quantise quantise_of(const Choice& c, int64_t width, int64_t k_tile) {
  return {width, k_tile, c.tiling.norm_stages, c.tiling.quant_rows};
}

programs::Chain projection_chain(const Choice& c) {
  return {c.model.hidden, c.tiling.proj_k, c.tiling.proj_stages};
}

}  // namespace tilewright::models::qwen3
