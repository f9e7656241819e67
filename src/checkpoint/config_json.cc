// config.json of a Hugging Face directory.
#include <fmt/format.h>

#include <optional>

#include "tilewright/base/json.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/config_rules.h"
#include "tilewright/checkpoint/family.h"

namespace tilewright::checkpoint {
namespace {

constexpr std::size_t kMaxConfig = 1 << 18;  // real ones are a few KiB

class Fields {
 public:
  Fields(const Json& root, const std::string& origin) : root_(root), origin_(origin) {}

  // Null counts as absent, as it does for the programs that write these files.
  const Json* find(std::string_view key) const {
    const Json* j = root_.find(key);
    return j && j->kind != Json::Kind::Null ? j : nullptr;
  }
  const Json& need(std::string_view key, Json::Kind kind) const {
    const Json* j = find(key);
    if (!j)
      refuse_config(fmt::format("{} is missing", key), "at " + origin_,
                    "use the config.json that belongs to the weights");
    if (j->kind != kind) wrong_kind(key, *j, kind);
    return *j;
  }
  int64_t size(std::string_view key) const {
    const Json& j = need(key, Json::Kind::Number);
    return checked_size(j.number, std::string(key), place(j));
  }
  int64_t size(std::string_view key, int64_t otherwise) const {
    return find(key) ? size(key) : otherwise;
  }
  double number(std::string_view key) const { return need(key, Json::Kind::Number).number; }
  bool boolean(std::string_view key, bool otherwise) const {
    return find(key) ? need(key, Json::Kind::Bool).boolean : otherwise;
  }
  std::string place(const Json& j) const { return fmt::format("at {}:{}", origin_, j.line); }

  // A feature of the layer that is not run must be absent or have the harmless value.
  void must_be_off(std::string_view key) const {
    if (boolean(key, false))
      refuse_config(fmt::format("{} is enabled, which is not supported", key), place(*find(key)),
                    "choose a model that does not use it");
  }

 private:
  [[noreturn]] void wrong_kind(std::string_view key, const Json& j, Json::Kind kind) const {
    refuse_config(fmt::format("{} is {}, not {}", key, json_kind_name(j.kind),
                              json_kind_name(kind)),
                  place(j), "use the config.json that belongs to the weights");
  }

  const Json& root_;
  const std::string& origin_;
};

// Scaled RoPE changes the angles; only the plain one is run.
void check_rope_type(const Json& scaling, const Fields& f) {
  for (const char* key : {"rope_type", "type"}) {
    const Json* type = scaling.find(key);
    if (type && type->kind == Json::Kind::String && type->string != "default")
      refuse_config(fmt::format("RoPE scaling {} is not supported", quote(type->string)),
                    f.place(*type), "choose a model with plain RoPE");
  }
}

// Newer files keep theta in rope_parameters, older ones beside the other numbers.
double rope_theta(const Fields& f) {
  if (const Json* scaling = f.find("rope_scaling")) check_rope_type(*scaling, f);
  if (const Json* parameters = f.find("rope_parameters")) {
    check_rope_type(*parameters, f);
    const Json* theta = parameters->find("rope_theta");
    if (theta && theta->kind == Json::Kind::Number) return theta->number;
  }
  return f.find("rope_theta") ? f.number("rope_theta") : 10000.0;  // llama's first value
}

void check_features(const Fields& f) {
  const Json* act = f.find("hidden_act");
  if (act && (act->kind != Json::Kind::String || act->string != "silu"))
    refuse_config(fmt::format("hidden_act {} is not supported", quote(act->string)), f.place(*act),
                  "choose a model with silu");
  for (const char* key : {"attention_bias", "mlp_bias", "use_sliding_window"}) f.must_be_off(key);
  if (const Json* q = f.find("quantization_config"))
    refuse_config("quantised Hugging Face weights are not supported", f.place(*q),
                  "use the BF16 version, or a Q8_0 or Q4_0 GGUF file");
}

}  // namespace

ModelConfig config_from_json(std::string_view text, const std::string& origin) {
  if (text.size() > kMaxConfig)
    refuse_config(fmt::format("a configuration file of {} bytes is too large", text.size()),
                  "at " + origin, "check that this is the right file");
  const Json root = parse_json(text, origin);
  const Fields f(root, origin);
  const Json& type = f.need("model_type", Json::Kind::String);
  ModelConfig c;
  c.family = family_of(type.string, f.place(type));
  check_features(f);
  c.hidden = f.size("hidden_size");
  c.layers = f.size("num_hidden_layers");
  c.heads = f.size("num_attention_heads");
  c.kv_heads = f.size("num_key_value_heads", c.heads);
  c.head_dim = f.find("head_dim")
                   ? f.size("head_dim")
                   : checked_size(static_cast<double>(c.hidden / c.heads),
                                  "hidden_size / num_attention_heads", "at " + origin);
  c.intermediate = f.size("intermediate_size");
  c.vocab = f.size("vocab_size");
  c.max_positions = f.size("max_position_embeddings", 2048);
  c.rms_norm_eps = f.number("rms_norm_eps");
  c.rope_theta = rope_theta(f);
  c.tied = f.boolean("tie_word_embeddings", false);
  check_config(c, "at " + origin);
  return c;
}

std::string config_to_json(const ModelConfig& c, std::string_view torch_dtype,
                           const std::vector<int64_t>& stop_ids) {
  return fmt::format(
      "{{\n"
      "  \"architectures\": [\"{}ForCausalLM\"],\n"
      "  \"model_type\": \"{}\",\n"
      "  \"hidden_size\": {},\n"
      "  \"num_hidden_layers\": {},\n"
      "  \"num_attention_heads\": {},\n"
      "  \"num_key_value_heads\": {},\n"
      "  \"head_dim\": {},\n"
      "  \"intermediate_size\": {},\n"
      "  \"vocab_size\": {},\n"
      "  \"max_position_embeddings\": {},\n"
      "  \"rms_norm_eps\": {},\n"
      "  \"rope_theta\": {},\n"
      "  \"hidden_act\": \"silu\",\n"
      "  \"attention_bias\": false,\n"
      "  \"tie_word_embeddings\": {},\n"
      "  \"eos_token_id\": {},\n"
      "  \"torch_dtype\": \"{}\"\n"
      "}}\n",
      family_row(c.family).class_name, family_name(c.family), c.hidden, c.layers, c.heads,
      c.kv_heads, c.head_dim, c.intermediate, c.vocab, c.max_positions, c.rms_norm_eps,
      c.rope_theta, c.tied, list_text(stop_ids), torch_dtype);
}

}  // namespace tilewright::checkpoint
