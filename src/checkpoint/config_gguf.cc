// The configuration among the key-values of a GGUF file.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/checkpoint/config_rules.h"
#include "tilewright/checkpoint/family.h"

namespace tilewright::checkpoint {
namespace {

class Keys {
 public:
  Keys(const GgufFile& file, const std::string& origin) : file_(file), place_("at " + origin) {}

  void set_architecture(std::string_view a) { prefix_ = std::string(a) + "."; }
  const std::string& place() const { return place_; }

  const GgufValue* find(const std::string& key) const { return file_.find(prefix_ + key); }
  double number(const std::string& key) const {
    const GgufValue* v = find(key);
    if (!v) refuse_config(fmt::format("key {}{} is missing", prefix_, key), place_, kHelp);
    return as_number(*v, key);
  }
  double number(const std::string& key, double otherwise) const {
    const GgufValue* v = find(key);
    return v ? as_number(*v, key) : otherwise;
  }
  int64_t size(const std::string& key) const {
    return checked_size(number(key), prefix_ + key, place_);
  }
  int64_t size(const std::string& key, int64_t otherwise) const {
    return find(key) ? size(key) : otherwise;
  }

  static constexpr const char* kHelp = "download the file again; it is damaged or of another type";

 private:
  double as_number(const GgufValue& v, const std::string& key) const {
    const auto n = v.number();
    if (!n) refuse_config(fmt::format("key {}{} is not a number", prefix_, key), place_, kHelp);
    return *n;
  }

  const GgufFile& file_;
  std::string place_;
  std::string prefix_;
};

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
  c.family = family_of(*architecture->string(), keys.place());
  keys.set_architecture(*architecture->string());
  c.hidden = keys.size("embedding_length");
  c.layers = keys.size("block_count");
  c.heads = keys.size("attention.head_count");
  c.kv_heads = keys.size("attention.head_count_kv", c.heads);
  c.head_dim = keys.find("attention.key_length")
                   ? keys.size("attention.key_length")
                   : checked_size(static_cast<double>(c.hidden / c.heads),
                                  "embedding_length / head_count", keys.place());
  c.intermediate = keys.size("feed_forward_length");
  c.max_positions = keys.size("context_length", 2048);
  c.rms_norm_eps = keys.number("attention.layer_norm_rms_epsilon");
  c.rope_theta = keys.number("rope.freq_base", 10000.0);
  c.vocab = vocab_size(file, keys);
  const std::string head = tensor_name(lm_head_tensor(), Naming::Gguf);
  c.tied = std::ranges::find(file.tensors, head, &TensorView::name) == file.tensors.end();
  if (keys.size("attention.value_length", c.head_dim) != c.head_dim ||
      keys.size("rope.dimension_count", c.head_dim) != c.head_dim)
    refuse_config("the dimensions of values, RoPE and heads differ", keys.place(),
                  "choose a model that applies RoPE to whole heads");
  const GgufValue* scaling = keys.find("rope.scaling.type");
  if (scaling && scaling->string() && *scaling->string() != "none")
    refuse_config(fmt::format("RoPE scaling {} is not supported", quote(*scaling->string())),
                  keys.place(), "choose a model with plain RoPE");
  check_config(c, keys.place());
  return c;
}

}  // namespace tilewright::checkpoint
