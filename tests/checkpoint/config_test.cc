// Configurations: what is read, and what is refused by name.
#include <regex>

#include "support.h"

namespace checkpoint_test {
namespace {

constexpr Family kFamilies[] = {Family::Qwen3, Family::Llama, Family::Qwen2, Family::Mistral,
                                Family::Qwen3Moe};

std::string config_error(const std::string& json) {
  return error_of([&] { config_from_json(json, "config.json"); });
}

// A good file with one line replaced, or a line appended.
std::string with(const std::string& field, const std::string& value,
                 Family family = Family::Qwen3) {
  const std::string good = config_to_json(small_config(family, true), "bfloat16", {3});
  const std::regex line("\"" + field + "\": [^,\\n]*");
  if (!std::regex_search(good, line))
    return good.substr(0, good.rfind('}')) + ",\"" + field + "\": " + value + "}";
  return std::regex_replace(good, line, "\"" + field + "\": " + value);
}

TEST(Config, WhatIsWrittenIsRead) {
  for (const Family family : kFamilies) {
    ModelConfig c = small_config(family, family == Family::Qwen3);
    c.renormalises = false;
    const ModelConfig read = config_from_json(config_to_json(c, "float32", {1, 2}), "config.json");
    EXPECT_EQ(read.family, c.family);
    EXPECT_EQ(read.hidden, 8);
    EXPECT_EQ(read.layers, 1);
    EXPECT_EQ(read.heads, 2);
    EXPECT_EQ(read.kv_heads, 1);
    EXPECT_EQ(read.head_dim, 4);
    EXPECT_EQ(read.intermediate, 12);
    EXPECT_EQ(read.vocab, 10);
    EXPECT_EQ(read.max_positions, 64);
    EXPECT_EQ(read.rms_norm_eps, 1e-6);
    EXPECT_EQ(read.rope_theta, 1e4);
    EXPECT_EQ(read.tied, c.tied);
    EXPECT_EQ(read.qk_norm(), family == Family::Qwen3 || family == Family::Qwen3Moe);
    EXPECT_EQ(read.experts, family == Family::Qwen3Moe ? 3 : 0);
    EXPECT_EQ(read.experts_per_token, family == Family::Qwen3Moe ? 2 : 0);
    EXPECT_EQ(read.renormalises, family != Family::Qwen3Moe);
    EXPECT_EQ(read.rope, RopeScaling());
  }
}

TEST(Config, ScaledRopeIsReadAsItIsWritten) {
  using Type = RopeScaling::Type;
  const RopeScaling all[] = {
      {.type = Type::Linear, .factor = 4},
      {.type = Type::Llama3,
       .factor = 32,
       .original_positions = 8192,
       .low_frequency = 1,
       .high_frequency = 4},
      {.type = Type::Yarn, .factor = 2.5, .original_positions = 40},
      {.type = Type::Yarn,
       .factor = 4,
       .original_positions = 64,
       .beta_fast = 16,
       .beta_slow = 2,
       .attention_factor = 1.25},
  };
  for (const RopeScaling& rope : all) {
    ModelConfig c = small_config(Family::Qwen3, false);
    c.rope = rope;
    const ModelConfig read = config_from_json(config_to_json(c, "float32", {}), "config.json");
    EXPECT_EQ(read.rope, rope);
    // YaRN is stated with the context from before or from after it.
    EXPECT_EQ(read.max_positions, rope.type == Type::Yarn ? rope.factor * rope.original_positions
                                                          : 64);
  }
}

// The spellings of released models.
TEST(Config, ScaledRopeOfReleasedModels) {
  const std::string llama31 = with("rope_scaling", R"({
    "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192, "rope_type": "llama3"})");
  EXPECT_EQ(config_from_json(llama31, "config.json").rope.type, RopeScaling::Type::Llama3);
  const std::string qwen3 = with("rope_scaling", R"({
    "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})");
  EXPECT_EQ(config_from_json(qwen3, "config.json").max_positions, 131072);
  const std::string newer = with("rope_parameters", R"({
    "rope_theta": 5e5, "rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 1.0})");
  EXPECT_EQ(config_from_json(newer, "config.json").rope.factor, 2);
  EXPECT_EQ(config_from_json(newer, "config.json").rope_theta, 5e5);
}

// A window that the context never reaches changes nothing.
TEST(Config, WindowsThatAreNotInForce) {
  const auto reads = [](const std::string& json) {
    return config_from_json(json, "config.json").hidden == 8;
  };
  EXPECT_TRUE(reads(with("sliding_window", "64", Family::Mistral)));
  EXPECT_TRUE(reads(with("sliding_window", "32", Family::Qwen2)));
  EXPECT_TRUE(reads(with("layer_types", R"(["full_attention"])", Family::Qwen2)));
}

TEST(Config, DefaultsOfOlderFiles) {
  const std::string text =
      R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "head_dim": null,
          "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 100,
          "rms_norm_eps": 1e-5, "rope_scaling": null})";
  const ModelConfig c = config_from_json(text, "config.json");
  EXPECT_EQ(c.kv_heads, 4);
  EXPECT_EQ(c.head_dim, 16);
  EXPECT_EQ(c.rope_theta, 10000);
  EXPECT_FALSE(c.tied);
  const std::string newer =
      with("rope_parameters", R"({"rope_theta": 5e5, "rope_type": "default"})");
  EXPECT_EQ(config_from_json(newer, "config.json").rope_theta, 5e5);
}

TEST(Config, ModelTypesAreRefusedByName) {
  EXPECT_EQ(config_error(with("model_type", "\"mixtral\"")),
            "error: model type \"mixtral\" is not supported\n"
            "  at config.json:3\n"
            "  the supported model types are: qwen3, llama, qwen2, mistral, qwen3_moe\n"
            "  help: choose a model of a supported type\n");
}

struct WrongField {
  const char *field, *value, *what;
  Family family = Family::Qwen3;
};
class WrongConfig : public testing::TestWithParam<WrongField> {};

TEST_P(WrongConfig, IsToldInFourLines) {
  const std::string text = config_error(with(GetParam().field, GetParam().value, GetParam().family));
  EXPECT_TRUE(text.starts_with(std::string("error: ") + GetParam().what)) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongConfig,
    testing::Values(
        WrongField{"hidden_size", "0", "hidden_size = 0 is not a whole number from 1"},
        WrongField{"hidden_size", "1e300", "hidden_size = 1e+300 is not a whole number from 1"},
        WrongField{"hidden_size", "2.5", "hidden_size = 2.5 is not a whole number from 1"},
        WrongField{"hidden_size", "null", "hidden_size is missing"},
        WrongField{"hidden_size", "\"8\"", "hidden_size is a string, not a number"},
        WrongField{"num_key_value_heads", "3",
                   "2 query heads are not a multiple of 3 key-value heads"},
        WrongField{"head_dim", "3", "head_dim 3 is odd"},
        WrongField{"rms_norm_eps", "-1", "rms_norm_eps = -1 is not between 0 and 1"},
        WrongField{"rope_theta", "0", "rope_theta = 0 is not between 1 and 1e12"},
        WrongField{"hidden_act", "\"gelu\"", "hidden_act \"gelu\" is not supported"},
        WrongField{"attention_bias", "true", "attention_bias is enabled, which is not supported"},
        WrongField{"mlp_bias", "true", "mlp_bias is enabled, which is not supported"},
        WrongField{"use_sliding_window", "true",
                   "use_sliding_window is enabled, which is not supported"},
        WrongField{"rope_scaling", R"({"rope_type": "yarn"})", "factor is missing"},
        WrongField{"rope_scaling", R"("yarn")", "rope_scaling is a string, not an object"},
        WrongField{"rope_scaling", R"({"rope_type": "dynamic", "factor": 2})",
                   "RoPE scaling \"dynamic\" is not supported"},
        WrongField{"rope_scaling", R"({"type": "longrope", "short_factor": []})",
                   "RoPE scaling \"longrope\" is not supported"},
        WrongField{"rope_scaling", R"({"type": "yarn", "factor": 2, "mscale": 0.7})",
                   "mscale of the RoPE scaling is not supported"},
        WrongField{"rope_scaling", R"({"type": "yarn", "factor": 2, "truncate": false})",
                   "truncate of the RoPE scaling is not supported"},
        WrongField{"rope_scaling", R"({"type": "linear", "factor": 0.5})",
                   "factor = 0.5 of the RoPE scaling is not between 1 and 1000000"},
        WrongField{"rope_scaling",
                   R"({"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4})",
                   "high_freq_factor = 4 of the RoPE scaling is not between"},
        WrongField{"rope_scaling", R"({"type": "yarn", "factor": 8, "beta_fast": 1})",
                   "beta_fast = 1 of the RoPE scaling is not between"},
        WrongField{"rope_parameters", R"({"rope_type": "llama3"})", "factor is missing"},
        WrongField{"layer_types", R"(["full_attention", "sliding_attention"])",
                   "layer_types has \"sliding_attention\", which is not supported"},
        WrongField{"sliding_window", "32", "sliding_window = 32 is not supported", Family::Mistral},
        WrongField{"num_experts_per_tok", "4", "a token has 4 experts of 3", Family::Qwen3Moe},
        WrongField{"decoder_sparse_step", "2", "decoder_sparse_step = 2 is not supported",
                   Family::Qwen3Moe},
        WrongField{"mlp_only_layers", "[0]", "mlp_only_layers names 1 layer, which is not supported",
                   Family::Qwen3Moe},
        WrongField{"quantization_config", R"({"quant_method": "fp8"})",
                   "quantised Hugging Face weights (fp8) are not supported"},
        WrongField{"quantization_config", R"({"quant_method": "gptq"})",
                   "quantised Hugging Face weights (gptq) are not supported"}));

TEST(Config, MistralWithoutAWindowSaysSo) {
  std::string text = config_to_json(small_config(Family::Mistral, true), "bfloat16", {3});
  text = std::regex_replace(text, std::regex("  \"sliding_window\": null,\n"), "");
  EXPECT_EQ(config_error(text),
            "error: sliding_window is missing, which means a window of 4096 positions\n"
            "  at config.json\n"
            "  the configuration must give every size of the model and use only supported features\n"
            "  help: if the model has no window, add \"sliding_window\": null\n");
}

TEST(Config, TooLongIsNotRead) {
  EXPECT_TRUE(
      config_error(std::string(1 << 19, ' ')).starts_with("error: a configuration file of 524288 bytes"));
}

}  // namespace
}  // namespace checkpoint_test
