#include "tilewright/checkpoint/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright::checkpoint {
namespace {

using Config = ModelConfig;

constexpr std::array<FamilyRow, 2> kFamilies{{
    {Family::Qwen3, "qwen3", "Qwen3", true, false},
    {Family::Llama, "llama", "Llama", false, true},
}};

Shape hidden(const Config& c) { return {c.hidden}; }
Shape head(const Config& c) { return {c.head_dim}; }
Shape q_by_hidden(const Config& c) { return {c.q_width(), c.hidden}; }
Shape kv_by_hidden(const Config& c) { return {c.kv_width(), c.hidden}; }
Shape hidden_by_q(const Config& c) { return {c.hidden, c.q_width()}; }
Shape mlp_by_hidden(const Config& c) { return {c.intermediate, c.hidden}; }
Shape hidden_by_mlp(const Config& c) { return {c.hidden, c.intermediate}; }
Shape vocab_by_hidden(const Config& c) { return {c.vocab, c.hidden}; }

using L = LayerWeights;
constexpr std::array<LayerTensor, 11> kLayer{{
    {"input_norm", "input_layernorm", "attn_norm", &L::input_norm, hidden},
    {"wq", "self_attn.q_proj", "attn_q", &L::q, q_by_hidden},
    {"wk", "self_attn.k_proj", "attn_k", &L::k, kv_by_hidden},
    {"wv", "self_attn.v_proj", "attn_v", &L::v, kv_by_hidden},
    {"q_norm", "self_attn.q_norm", "attn_q_norm", &L::q_norm, head, &FamilyRow::qk_norm},
    {"k_norm", "self_attn.k_norm", "attn_k_norm", &L::k_norm, head, &FamilyRow::qk_norm},
    {"wo", "self_attn.o_proj", "attn_output", &L::o, hidden_by_q},
    {"post_norm", "post_attention_layernorm", "ffn_norm", &L::post_norm, hidden},
    {"w_gate", "mlp.gate_proj", "ffn_gate", &L::gate, mlp_by_hidden},
    {"w_up", "mlp.up_proj", "ffn_up", &L::up, mlp_by_hidden},
    {"w_down", "mlp.down_proj", "ffn_down", &L::down, hidden_by_mlp},
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

std::string tensor_name(const LayerTensor& t, int64_t layer, Naming naming) {
  return naming == Naming::HuggingFace ? fmt::format("model.layers.{}.{}.weight", layer, t.hf)
                                       : fmt::format("blk.{}.{}.weight", layer, t.gguf);
}

std::string tensor_name(const EndTensor& t, Naming naming) {
  return fmt::format("{}.weight", naming == Naming::HuggingFace ? t.hf : t.gguf);
}

}  // namespace tilewright::checkpoint
