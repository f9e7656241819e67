// The configuration among the key-values of a GGUF file.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/checkpoint/config_keys.h"
#include "tilewright/checkpoint/config_rope.h"
#include "tilewright/checkpoint/family.h"

namespace tilewright::checkpoint {
namespace {

// Some files do not say it; the embedding has one row per token.
int64_t vocab_size(const GgufFile& file, const Keys& keys) {
  if (keys.find("vocab_size")) return keys.size("vocab_size");
  const std::string name = tensor_name(embedding_tensor(), Naming::Gguf);
  const auto at = std::ranges::find(file.tensors, name, &TensorView::name);
  if (at == file.tensors.end() || at->shape.size() != 2)
    refuse_config(fmt::format("neither vocab_size nor tensor {} gives the vocabulary size", name),
                  keys.place(), Keys::kHelp);
  return checked_size(static_cast<double>(at->shape[0]), "rows of " + name, keys.place());
}

}  // namespace

ModelConfig config_from_gguf(const GgufFile& file, const std::string& origin) {
  Keys keys(file, origin);
  const GgufValue* architecture = file.find("general.architecture");
  if (!architecture || !architecture->string())
    refuse_config("key general.architecture is missing", keys.place(), Keys::kHelp);
  ModelConfig c;
  c.family = family_of(*architecture->string(), Naming::Gguf, keys.place());
  keys.set_architecture(*architecture->string());
  c.hidden = keys.size("embedding_length");
  c.layers = keys.size("block_count");
  c.heads = keys.size("attention.head_count");
  c.kv_heads = keys.size("attention.head_count_kv", c.heads);
  c.head_dim = keys.find("attention.key_length")
                   ? keys.size("attention.key_length")
                   : checked_size(static_cast<double>(c.hidden / c.heads),
                                  "embedding_length / head_count", keys.place());
  if (family_row(c.family).experts) {
    c.experts = keys.size("expert_count");
    c.experts_per_token = keys.size("expert_used_count");
    c.intermediate = keys.find("expert_feed_forward_length")
                         ? keys.size("expert_feed_forward_length")
                         : checked_size(keys.number("feed_forward_length") /
                                            static_cast<double>(c.experts_per_token),
                                        "feed_forward_length / expert_used_count", keys.place());
    c.renormalises = true;  // llama.cpp knows nothing else of this architecture
  } else {
    c.intermediate = keys.size("feed_forward_length");
  }
  c.max_positions = keys.size("context_length", 2048);
  c.rms_norm_eps = keys.number("attention.layer_norm_rms_epsilon");
  read_rope(keys, file, c);
  c.vocab = vocab_size(file, keys);
  const std::string head = tensor_name(lm_head_tensor(), Naming::Gguf);
  c.tied = std::ranges::find(file.tensors, head, &TensorView::name) == file.tensors.end();
  if (keys.size("attention.value_length", c.head_dim) != c.head_dim ||
      keys.size("rope.dimension_count", c.head_dim) != c.head_dim)
    refuse_config("the dimensions of values, RoPE and heads differ", keys.place(),
                  "choose a model that applies RoPE to whole heads");
  if (const double window = keys.number("attention.sliding_window", 0);
      window > 0 && window < static_cast<double>(c.max_positions))
    refuse_config(fmt::format("a sliding window of {} positions is not supported", window),
                  keys.place(), "choose a model without sliding windows");
  check_config(c, keys.place());
  return c;
}

}  // namespace tilewright::checkpoint
