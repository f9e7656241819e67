#include "tilewright/checkpoint/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright::checkpoint {
namespace {

using Config = ModelConfig;

constexpr std::array<FamilyRow, 5> kFamilies{{
    {.family = Family::Qwen3, .name = "qwen3", .gguf = "qwen3", .class_name = "Qwen3", .qk_norm = true},
    {.family = Family::Llama,
     .name = "llama",
     .gguf = "llama",
     .class_name = "Llama",
     .gguf_interleaves = true},
    {.family = Family::Qwen2, .name = "qwen2", .gguf = "qwen2", .class_name = "Qwen2", .qkv_bias = true},
    {.family = Family::Mistral,
     .name = "mistral",
     .gguf = "llama",
     .class_name = "Mistral",
     .gguf_interleaves = true,
     .windows_unless_null = true},
    {.family = Family::Qwen3Moe,
     .name = "qwen3_moe",
     .gguf = "qwen3moe",
     .class_name = "Qwen3Moe",
     .qk_norm = true,
     .experts = true,
     .dense = false},
}};

Shape hidden(const Config& c) { return {c.hidden}; }
Shape head(const Config& c) { return {c.head_dim}; }
Shape q_by_hidden(const Config& c) { return {c.q_width(), c.hidden}; }
Shape kv_by_hidden(const Config& c) { return {c.kv_width(), c.hidden}; }
Shape hidden_by_q(const Config& c) { return {c.hidden, c.q_width()}; }
Shape mlp_by_hidden(const Config& c) { return {c.intermediate, c.hidden}; }
Shape hidden_by_mlp(const Config& c) { return {c.hidden, c.intermediate}; }
Shape q_width(const Config& c) { return {c.q_width()}; }
Shape kv_width(const Config& c) { return {c.kv_width()}; }
Shape experts_by_hidden(const Config& c) { return {c.experts, c.hidden}; }
Shape expert_rows_by_hidden(const Config& c) { return {c.experts * c.intermediate, c.hidden}; }
Shape expert_rows_by_mlp(const Config& c) { return {c.experts * c.hidden, c.intermediate}; }
Shape vocab_by_hidden(const Config& c) { return {c.vocab, c.hidden}; }

using L = LayerWeights;
using F = FamilyRow;
constexpr std::array<LayerTensor, 18> kLayer{{
    {"input_norm", "input_layernorm.weight", "attn_norm.weight", &L::input_norm, hidden},
    {"wq", "self_attn.q_proj.weight", "attn_q.weight", &L::q, q_by_hidden},
    {"wk", "self_attn.k_proj.weight", "attn_k.weight", &L::k, kv_by_hidden},
    {"wv", "self_attn.v_proj.weight", "attn_v.weight", &L::v, kv_by_hidden},
    {"bq", "self_attn.q_proj.bias", "attn_q.bias", &L::q_bias, q_width, &F::qkv_bias},
    {"bk", "self_attn.k_proj.bias", "attn_k.bias", &L::k_bias, kv_width, &F::qkv_bias},
    {"bv", "self_attn.v_proj.bias", "attn_v.bias", &L::v_bias, kv_width, &F::qkv_bias},
    {"q_norm", "self_attn.q_norm.weight", "attn_q_norm.weight", &L::q_norm, head, &F::qk_norm},
    {"k_norm", "self_attn.k_norm.weight", "attn_k_norm.weight", &L::k_norm, head, &F::qk_norm},
    {"wo", "self_attn.o_proj.weight", "attn_output.weight", &L::o, hidden_by_q},
    {"post_norm", "post_attention_layernorm.weight", "ffn_norm.weight", &L::post_norm, hidden},
    {"w_gate", "mlp.gate_proj.weight", "ffn_gate.weight", &L::gate, mlp_by_hidden, &F::dense},
    {"w_up", "mlp.up_proj.weight", "ffn_up.weight", &L::up, mlp_by_hidden, &F::dense},
    {"w_down", "mlp.down_proj.weight", "ffn_down.weight", &L::down, hidden_by_mlp, &F::dense},
    {.role = "w_router",
     .hf = "mlp.gate.weight",
     .gguf = "ffn_gate_inp.weight",
     .member = &L::router,
     .shape = experts_by_hidden,
     .needs = &F::experts,
     .in_f32 = true},
    {"w_gate", "mlp.experts.{}.gate_proj.weight", "ffn_gate_exps.weight", &L::gate,
     expert_rows_by_hidden, &F::experts, true},
    {"w_up", "mlp.experts.{}.up_proj.weight", "ffn_up_exps.weight", &L::up, expert_rows_by_hidden,
     &F::experts, true},
    {"w_down", "mlp.experts.{}.down_proj.weight", "ffn_down_exps.weight", &L::down,
     expert_rows_by_mlp, &F::experts, true},
}};

constexpr EndTensor kEmbedding{"embedding", "model.embed_tokens", "token_embd", &Weights::embedding,
                               vocab_by_hidden};
constexpr EndTensor kFinalNorm{"final_norm", "model.norm", "output_norm", &Weights::final_norm,
                               hidden};
constexpr EndTensor kLmHead{"lm_head", "lm_head", "output", &Weights::lm_head, vocab_by_hidden};

}  // namespace

std::span<const FamilyRow> families() { return kFamilies; }

const FamilyRow& family_row(Family f) {
  return *std::ranges::find(kFamilies, f, &FamilyRow::family);
}

std::string_view family_name(Family f) { return family_row(f).name; }
bool ModelConfig::qk_norm() const { return family_row(family).qk_norm; }

std::span<const LayerTensor> layer_tensors() { return kLayer; }
const EndTensor& embedding_tensor() { return kEmbedding; }
const EndTensor& final_norm_tensor() { return kFinalNorm; }
const EndTensor& lm_head_tensor() { return kLmHead; }

Shape stored_shape(const LayerTensor& t, const ModelConfig& c, Naming naming) {
  const Shape whole = t.shape(c);
  if (!t.of_experts) return whole;
  const int64_t rows = whole[0] / c.experts;
  return naming == Naming::HuggingFace ? Shape{rows, whole[1]} : Shape{c.experts, rows, whole[1]};
}

std::string tensor_name(const LayerTensor& t, int64_t layer, Naming naming, int64_t expert) {
  if (naming == Naming::Gguf) return fmt::format("blk.{}.{}", layer, t.gguf);
  return fmt::format("model.layers.{}.{}", layer, fmt::format(fmt::runtime(t.hf), expert));
}

std::string tensor_name(const EndTensor& t, Naming naming) {
  return fmt::format("{}.weight", naming == Naming::HuggingFace ? t.hf : t.gguf);
}

}  // namespace tilewright::checkpoint
