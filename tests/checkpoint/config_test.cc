// Configurations: what is read, and what is refused by name.
#include <regex>

#include "support.h"

namespace checkpoint_test {
namespace {

std::string config_error(const std::string& json) {
  return error_of([&] { config_from_json(json, "config.json"); });
}

// A good file with one line replaced, or a line appended.
std::string with(const std::string& field, const std::string& value) {
  const std::string good = config_to_json(small_config(Family::Qwen3, true), "bfloat16", {3});
  const std::regex line("\"" + field + "\": [^,\\n]*");
  if (!std::regex_search(good, line))
    return good.substr(0, good.rfind('}')) + ",\"" + field + "\": " + value + "}";
  return std::regex_replace(good, line, "\"" + field + "\": " + value);
}

TEST(Config, WhatIsWrittenIsRead) {
  for (const Family family : {Family::Qwen3, Family::Llama}) {
    const ModelConfig c = small_config(family, family == Family::Qwen3);
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
    EXPECT_EQ(read.qk_norm(), family == Family::Qwen3);
  }
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
            "  the supported model types are: qwen3, llama\n"
            "  help: choose a model of a supported type\n");
}

struct WrongField {
  const char *field, *value, *what;
};
class WrongConfig : public testing::TestWithParam<WrongField> {};

TEST_P(WrongConfig, IsToldInFourLines) {
  const std::string text = config_error(with(GetParam().field, GetParam().value));
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
        WrongField{"rope_scaling", R"({"rope_type": "yarn"})",
                   "RoPE scaling \"yarn\" is not supported"},
        WrongField{"rope_parameters", R"({"rope_type": "llama3"})",
                   "RoPE scaling \"llama3\" is not supported"},
        WrongField{"quantization_config", R"({"quant_method": "gptq"})",
                   "quantised Hugging Face weights are not supported"}));

TEST(Config, TooLongIsNotRead) {
  EXPECT_TRUE(
      config_error(std::string(1 << 19, ' ')).starts_with("error: a configuration file of 524288 bytes"));
}

}  // namespace
}  // namespace checkpoint_test
