#include "tilewright/checkpoint/weights.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::checkpoint {
namespace {

using Config = ModelConfig;

struct LayerEntry {
  std::string_view hf, gguf;  // behind "model.layers.7." and "blk.7."
  TensorView LayerWeights::*member;
  Shape (*shape)(const Config&);
  bool qk_norm = false;  // only in families that have it
};

const std::array<LayerEntry, 11> kLayer{{
    {"input_layernorm", "attn_norm", &LayerWeights::input_norm,
     [](const Config& c) { return Shape{c.hidden}; }},
    {"self_attn.q_proj", "attn_q", &LayerWeights::q,
     [](const Config& c) {
       return Shape{c.q_width(), c.hidden};
     }},
    {"self_attn.k_proj", "attn_k", &LayerWeights::k,
     [](const Config& c) {
       return Shape{c.kv_width(), c.hidden};
     }},
    {"self_attn.v_proj", "attn_v", &LayerWeights::v,
     [](const Config& c) {
       return Shape{c.kv_width(), c.hidden};
     }},
    {"self_attn.q_norm", "attn_q_norm", &LayerWeights::q_norm,
     [](const Config& c) { return Shape{c.head_dim}; }, true},
    {"self_attn.k_norm", "attn_k_norm", &LayerWeights::k_norm,
     [](const Config& c) { return Shape{c.head_dim}; }, true},
    {"self_attn.o_proj", "attn_output", &LayerWeights::o,
     [](const Config& c) {
       return Shape{c.hidden, c.q_width()};
     }},
    {"post_attention_layernorm", "ffn_norm", &LayerWeights::post_norm,
     [](const Config& c) { return Shape{c.hidden}; }},
    {"mlp.gate_proj", "ffn_gate", &LayerWeights::gate,
     [](const Config& c) {
       return Shape{c.intermediate, c.hidden};
     }},
    {"mlp.up_proj", "ffn_up", &LayerWeights::up,
     [](const Config& c) {
       return Shape{c.intermediate, c.hidden};
     }},
    {"mlp.down_proj", "ffn_down", &LayerWeights::down,
     [](const Config& c) {
       return Shape{c.hidden, c.intermediate};
     }},
}};

struct Names {
  std::string_view embedding, layer, final_norm, lm_head;
};

Names names_of(Naming naming) {
  switch (naming) {
    case Naming::HuggingFace:
      return {"model.embed_tokens.weight", "model.layers.{}.{}.weight", "model.norm.weight",
              "lm_head.weight"};
    case Naming::Gguf:
      return {"token_embd.weight", "blk.{}.{}.weight", "output_norm.weight", "output.weight"};
  }
  return {};
}

std::string layer_name(Naming naming, int64_t layer, const LayerEntry& e) {
  return fmt::format(fmt::runtime(names_of(naming).layer), layer,
                     naming == Naming::HuggingFace ? e.hf : e.gguf);
}

// Calls visit(name, shape, slot in the weights) for every tensor of the model.
void for_each_tensor(const Config& c, Naming naming, Weights& w,
                     const std::function<void(std::string, Shape, TensorView&)>& visit) {
  const Names names = names_of(naming);
  visit(std::string(names.embedding), {c.vocab, c.hidden}, w.embedding);
  w.layers.resize(static_cast<std::size_t>(c.layers));
  for (int64_t i = 0; i < c.layers; ++i)
    for (const LayerEntry& e : kLayer)
      if (!e.qk_norm || c.qk_norm())
        visit(layer_name(naming, i, e), e.shape(c),
              w.layers[static_cast<std::size_t>(i)].*e.member);
  visit(std::string(names.final_norm), {c.hidden}, w.final_norm);
  if (!c.tied) visit(std::string(names.lm_head), {c.vocab, c.hidden}, w.lm_head);
}

// Tensors that some checkpoints carry although the model does not need them: a copy of the tied
// embedding, and the angles of RoPE, which follow from theta.
bool is_harmless(const TensorView& t, const Config& c, Naming naming) {
  if (t.name == names_of(naming).lm_head) return c.tied && t.shape == Shape{c.vocab, c.hidden};
  return naming == Naming::HuggingFace && t.name.ends_with(".rotary_emb.inv_freq");
}

void check_shape(const TensorView& t, const Shape& expected, const std::string& origin) {
  if (t.shape == expected) return;
  user_error("tensor-shape",
             fmt::format("tensor {} is {}, the configuration makes it {}", t.name,
                         shape_text(t.shape), shape_text(expected)),
             fmt::format("at {}, tensor {}", origin, t.name),
             "every tensor has the shape that follows from the configuration",
             "take configuration and weights from the same place");
}

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config, Naming naming) {
  std::vector<ExpectedTensor> out;
  Weights unused;
  for_each_tensor(config, naming, unused, [&](std::string name, Shape shape, TensorView&) {
    out.push_back({std::move(name), std::move(shape)});
  });
  return out;
}

Weights bind_weights(const ModelConfig& config, Naming naming, std::vector<TensorView> tensors,
                     const std::string& origin) {
  // Before anything is made per layer: the number of layers may be a lie.
  if (static_cast<uint64_t>(config.layers) > tensors.size())
    user_error("tensor-missing",
               fmt::format("{} for {}", counted(static_cast<int64_t>(tensors.size()), "tensor"),
                           counted(config.layers, "layer")),
               "at " + origin, "a checkpoint holds every tensor of its model",
               "fetch the missing files, or the configuration that belongs to these");
  std::unordered_map<std::string_view, TensorView*> by_name;
  for (TensorView& t : tensors) by_name.emplace(t.name, &t);

  Weights w;
  std::unordered_set<const TensorView*> used;
  for_each_tensor(
      config, naming, w, [&](const std::string& name, const Shape& shape, TensorView& slot) {
        const auto at = by_name.find(name);
        if (at == by_name.end())
          user_error("tensor-missing",
                     fmt::format("tensor {} {} is missing", name, shape_text(shape)),
                     "at " + origin, "a checkpoint holds every tensor of its model",
                     "fetch the missing files, or the configuration that belongs to these");
        check_shape(*at->second, shape, origin);
        used.insert(at->second);
        slot = *at->second;
      });
  for (const TensorView& t : tensors)
    if (!used.contains(&t) && !is_harmless(t, config, naming))
      user_error("tensor-extra",
                 fmt::format("tensor {} {} is not part of this model", t.name, shape_text(t.shape)),
                 fmt::format("at {}, tensor {}", origin, t.name),
                 "a tensor that is not used would change the result if it were",
                 "take configuration and weights from the same place");
  if (config.tied) w.lm_head = w.embedding;
  // GGUF files of llama models keep the halves of q and k interleaved.
  if (naming == Naming::Gguf && config.family == Family::Llama)
    for (LayerWeights& layer : w.layers)
      layer.q.interleaved_head_dim = layer.k.interleaved_head_dim = config.head_dim;
  return w;
}

}  // namespace tilewright::checkpoint
