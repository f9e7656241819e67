// config.json of a Hugging Face directory.
#include <fmt/format.h>

#include "tilewright/base/json.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/config_fields.h"
#include "tilewright/checkpoint/config_rope.h"
#include "tilewright/checkpoint/config_rules.h"
#include "tilewright/checkpoint/family.h"

namespace tilewright::checkpoint {
namespace {

constexpr std::size_t kMaxConfig = 1 << 18;  // real ones are a few KiB

// Layers that see only the last positions.
void check_windows(const Fields& f, const ModelConfig& c) {
  constexpr const char* kHelp = "choose a model without sliding windows";
  f.must_be_off("use_sliding_window");
  if (const Json* types = f.find("layer_types"))
    for (const Json& type : types->items)
      if (type.string != "full_attention")
        refuse_config(fmt::format("layer_types has {}, which is not supported", quote(type.string)),
                      f.place(type), kHelp);
  if (!family_row(c.family).windows_unless_null) return;
  const Json* window = f.stated("sliding_window");
  if (!window)
    refuse_config("sliding_window is missing, which means a window of 4096 positions", f.place(),
                  "if the model has no window, add \"sliding_window\": null");
  if (window->kind != Json::Kind::Null && f.size("sliding_window") < c.max_positions)
    refuse_config(fmt::format("sliding_window = {} is not supported", window->number),
                  f.place(*window), kHelp);
}

// Every layer has experts, and a token has so many of them.
void read_experts(const Fields& f, ModelConfig& c) {
  c.experts = f.size("num_experts");
  c.experts_per_token = f.size("num_experts_per_tok");
  c.intermediate = f.size("moe_intermediate_size");
  c.renormalises = f.boolean("norm_topk_prob", false);
  if (const Json* step = f.find("decoder_sparse_step"); step && step->number != 1)
    refuse_config(fmt::format("decoder_sparse_step = {} is not supported", step->number),
                  f.place(*step), "choose a model with experts in every layer");
  if (const Json* dense = f.find("mlp_only_layers"); dense && !dense->items.empty())
    refuse_config(fmt::format("mlp_only_layers names {}, which is not supported",
                              counted(static_cast<int64_t>(dense->items.size()), "layer")),
                  f.place(*dense), "choose a model with experts in every layer");
}

void check_features(const Fields& f) {
  const Json* act = f.find("hidden_act");
  if (act && (act->kind != Json::Kind::String || act->string != "silu"))
    refuse_config(fmt::format("hidden_act {} is not supported", quote(act->string)), f.place(*act),
                  "choose a model with silu");
  for (const char* key : {"attention_bias", "mlp_bias"}) f.must_be_off(key);
  if (const Json* q = f.find("quantization_config")) {
    const Json* method = q->find("quant_method");
    refuse_config(fmt::format("quantised Hugging Face weights{} are not supported",
                              method ? fmt::format(" ({})", method->string) : ""),
                  f.place(*q), "use the BF16 version, or a GGUF file");
  }
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
  c.family = family_of(type.string, Naming::HuggingFace, f.place(type));
  check_features(f);
  c.hidden = f.size("hidden_size");
  c.layers = f.size("num_hidden_layers");
  c.heads = f.size("num_attention_heads");
  c.kv_heads = f.size("num_key_value_heads", c.heads);
  c.head_dim = f.find("head_dim")
                   ? f.size("head_dim")
                   : checked_size(static_cast<double>(c.hidden / c.heads),
                                  "hidden_size / num_attention_heads", "at " + origin);
  if (family_row(c.family).experts)
    read_experts(f, c);
  else
    c.intermediate = f.size("intermediate_size");
  c.vocab = f.size("vocab_size");
  c.max_positions = f.size("max_position_embeddings", 2048);
  c.rms_norm_eps = f.number("rms_norm_eps");
  read_rope(f, c);
  c.tied = f.boolean("tie_word_embeddings", false);
  check_windows(f, c);
  check_config(c, "at " + origin);
  return c;
}

std::string config_to_json(const ModelConfig& c, std::string_view torch_dtype,
                           const std::vector<int64_t>& stop_ids) {
  const FamilyRow& family = family_row(c.family);
  std::string own;  // what only some families state
  if (family.windows_unless_null) own += "  \"sliding_window\": null,\n";
  if (family.experts)
    own += fmt::format(
        "  \"moe_intermediate_size\": {},\n"
        "  \"num_experts\": {},\n"
        "  \"num_experts_per_tok\": {},\n"
        "  \"norm_topk_prob\": {},\n"
        "  \"decoder_sparse_step\": 1,\n"
        "  \"mlp_only_layers\": [],\n",
        c.intermediate, c.experts, c.experts_per_token, c.renormalises);
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
      "  \"rope_scaling\": {},\n"
      "{}"
      "  \"hidden_act\": \"silu\",\n"
      "  \"attention_bias\": false,\n"
      "  \"tie_word_embeddings\": {},\n"
      "  \"eos_token_id\": {},\n"
      "  \"torch_dtype\": \"{}\"\n"
      "}}\n",
      family.class_name, family.name, c.hidden, c.layers, c.heads, c.kv_heads, c.head_dim,
      c.intermediate, c.vocab, c.max_positions, c.rms_norm_eps, c.rope_theta,
      rope_to_json(c.rope), own, c.tied, list_text(stop_ids), torch_dtype);
}

}  // namespace tilewright::checkpoint
