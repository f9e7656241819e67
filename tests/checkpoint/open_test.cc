// Whole models: directories, shards and GGUF files, opened and refused.
#include <fmt/format.h>

#include "support.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/checkpoint/safetensors.h"
#include "tilewright/checkpoint/writer.h"

namespace checkpoint_test {
namespace {

std::string open_error(const fs::path& path) {
  return error_of([&] { open_checkpoint(path.string()); });
}

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), instead);
}

void write_model(const Directory& d, const ModelConfig& c) {
  d.write("config.json", config_to_json(c, "float32", {}));
  d.write("model.safetensors", small_safetensors(c));
}

TEST(Open, DirectoriesAndGgufFilesGiveTheSameWeights) {
  for (const Family family : {Family::Qwen3, Family::Llama, Family::Qwen2, Family::Qwen3Moe})
    for (const bool tied : {true, false}) {
      const ModelConfig config = small_config(family, tied);
      const Directory d;
      write_model(d, config);
      d.write("model.gguf", small_gguf(config));
      const Checkpoint hf = open_checkpoint(d.path.string());
      const Checkpoint gguf = open_checkpoint((d.path / "model.gguf").string());
      EXPECT_EQ(hf.config.family, family);
      EXPECT_EQ(gguf.config.family, family);
      EXPECT_EQ(gguf.config.vocab, 10);
      EXPECT_EQ(gguf.config.tied, tied);
      EXPECT_EQ(hf.parameter_count(), gguf.parameter_count());
      EXPECT_EQ(hf.weight_bytes(), hf.parameter_count() * 4);
      EXPECT_EQ(hf.weights.lm_head.name, tied ? "model.embed_tokens.weight" : "lm_head.weight");
      EXPECT_EQ(hf.weights.layers[0].q_norm.name.empty(), !config.qk_norm());
      EXPECT_EQ(hf.weights.layers[0].k_bias.name.empty(), family != Family::Qwen2);
      EXPECT_EQ(gguf.weights.layers[0].q.interleaved_head_dim, family == Family::Llama ? 4 : 0);
      EXPECT_EQ(gguf.weights.layers[0].v.interleaved_head_dim, 0);
      const Shape down{config.has_experts() ? 24 : 8, 12};
      EXPECT_EQ(gguf.weights.layers[0].down.shape, down);
      EXPECT_EQ(hf.weights.layers[0].down.shape, down);
    }
}

// Files of mistral say llama.
TEST(Open, MistralIsALlamaInGguf) {
  const Directory d;
  d.write("model.gguf", small_gguf(small_config(Family::Mistral, false)));
  const Checkpoint gguf = open_checkpoint((d.path / "model.gguf").string());
  EXPECT_EQ(gguf.config.family, Family::Llama);
  EXPECT_EQ(gguf.weights.layers[0].k.interleaved_head_dim, 4);
}

// The matrices of experts lie apart in a directory and are one in a GGUF file; rows are numbered
// through either way.
TEST(Open, RowsOfExpertsAreNumberedThrough) {
  const ModelConfig c = small_config(Family::Qwen3Moe, true);
  const Directory d;
  write_model(d, c);
  d.write("model.gguf", small_gguf(c));
  const Checkpoint hf = open_checkpoint(d.path.string());
  const Checkpoint gguf = open_checkpoint((d.path / "model.gguf").string());
  const TensorView& apart = hf.weights.layers[0].up;
  const TensorView& together = gguf.weights.layers[0].up;
  EXPECT_EQ(apart.parts.size(), 3u);
  EXPECT_EQ(apart.parts[2].data(), apart.row_bytes(24).data());
  EXPECT_EQ(apart.byte_size(), together.byte_size());
  std::vector<float> row(8);
  read_row(together, 25, row);
  EXPECT_EQ(row[3], 25 * 8 + 3);  // small_gguf counts up through all of a tensor
  std::vector<std::byte> bytes;
  for (int64_t r = 12; r < 24; ++r)
    bytes.insert(bytes.end(), apart.row_bytes(r).begin(), apart.row_bytes(r).end());
  EXPECT_TRUE(std::ranges::equal(bytes, apart.parts[1]));
}

TEST(Open, ExpertsOfAnotherTypeAreRefused) {
  ModelConfig c = small_config(Family::Qwen3Moe, true);
  const Directory d;
  d.write("config.json", config_to_json(c, "float32", {}));
  std::vector<TensorToWrite> tensors;
  int64_t bytes = 0;
  for (const ExpectedTensor& t : expected_tensors(c, Naming::HuggingFace)) {
    const bool other = t.name == "model.layers.0.mlp.experts.1.up_proj.weight";
    tensors.push_back({t.name, other ? DType::BF16 : DType::F32, t.shape});
    bytes += element_count(t.shape) * (other ? 2 : 4);
  }
  SafetensorsWriter writer(d / "model.safetensors", tensors);
  writer.write(std::vector<std::byte>(static_cast<std::size_t>(bytes)));
  writer.close();
  EXPECT_EQ(open_error(d.path),
            fmt::format("error: tensor model.layers.0.mlp.experts.1.up_proj.weight is BF16, but "
                        "that of the first expert is F32\n"
                        "  at {}, tensor model.layers.0.mlp.experts.1.up_proj.weight\n"
                        "  the matrices of the experts of a layer have one element type\n"
                        "  help: use weights that were saved in one type\n",
                        d.path.string()));
}

TEST(Open, ACopyOfTheTiedEmbeddingIsAccepted) {
  ModelConfig c = small_config(Family::Qwen3, false);
  const Directory d;
  d.write("model.safetensors", small_safetensors(c));
  c.tied = true;
  d.write("config.json", config_to_json(c, "float32", {}));
  EXPECT_EQ(open_checkpoint(d.path.string()).weights.lm_head.name, "model.embed_tokens.weight");
}

TEST(Open, WrongTensorsAreNamed) {
  const ModelConfig c = small_config(Family::Qwen3, true);
  const Directory d;
  write_model(d, c);
  const std::string good = small_safetensors(c);
  const auto with_file = [&](const std::string& file) {
    d.write("model.safetensors", file);
    return open_error(d.path);
  };
  EXPECT_EQ(with_file(good), "");
  EXPECT_EQ(with_file(without(good, "0.mlp.up_proj", "0.mlp.xx_proj")),
            fmt::format("error: tensor model.layers.0.mlp.up_proj.weight [12 x 8] is missing\n"
                        "  at {}\n"
                        "  a checkpoint holds every tensor of its model\n"
                        "  help: download the missing files, or use the configuration that "
                        "matches these files"
                        "\n",
                        d.path.string()));
  EXPECT_TRUE(with_file(without(good, "[12,8]", "[8,12]"))
                  .starts_with("error: tensor model.layers.0.mlp.gate_proj.weight is [8 x 12], "
                               "but the configuration requires [12 x 8]\n"));
  ModelConfig untied = c;
  untied.family = Family::Llama;  // q_norm and k_norm are then too many
  d.write("config.json", config_to_json(untied, "float32", {}));
  EXPECT_TRUE(with_file(good).starts_with(
      "error: tensor model.layers.0.self_attn.q_norm.weight [4] is not part of this model\n"));
  untied.layers = 1 << 20;
  d.write("config.json", config_to_json(untied, "float32", {}));
  EXPECT_TRUE(with_file(good).starts_with("error: 13 tensors for 1048576 layers\n"));
}

// The tensors of a model dealt out to two files.
struct Shards {
  std::string first, second, index;
};
Shards two_shards(const ModelConfig& c) {
  std::string headers[2] = {"{", "{"}, map;
  std::size_t at[2] = {0, 0};
  int turn = 0;
  for (const ExpectedTensor& t : expected_tensors(c, Naming::HuggingFace)) {
    const int s = turn++ % 2;
    int64_t count = 1;
    std::string dims;
    for (const int64_t d : t.shape) {
      count *= d;
      dims += fmt::format("{}{}", dims.empty() ? "" : ",", d);
    }
    const std::size_t end = at[s] + static_cast<std::size_t>(count) * 4;
    headers[s] +=
        fmt::format("{}\"{}\":{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    at[s] ? "," : "", t.name, dims, at[s], end);
    at[s] = end;
    map += fmt::format("{}\"{}\":\"{}.safetensors\"", map.empty() ? "" : ",", t.name, s);
  }
  return {safetensors(headers[0] + "}", at[0]), safetensors(headers[1] + "}", at[1]),
          "{\"metadata\":{\"total_size\":1},\"weight_map\":{" + map + "}}"};
}

TEST(Open, Shards) {
  const ModelConfig c = small_config(Family::Qwen3, true);
  const Shards s = two_shards(c);
  const Directory d;
  const auto with_index = [&](const std::string& index) {
    d.write("model.safetensors.index.json", index);
    return open_error(d.path);
  };
  d.write("config.json", config_to_json(c, "float32", {}));
  d.write("0.safetensors", s.first);
  d.write("1.safetensors", s.second);
  EXPECT_EQ(with_index(s.index), "");
  EXPECT_EQ(open_checkpoint(d.path.string()).files.size(), 2u);

  const std::string norm = "\"model.norm.weight\":";
  EXPECT_TRUE(with_index(without(s.index, norm + "\"0.", norm + "\"1."))
                  .starts_with("error: tensor model.norm.weight is in 0.safetensors, but the "
                               "index lists it in 1.safetensors\n"));
  EXPECT_TRUE(with_index(without(s.index, norm + "\"0.safetensors\"", "\"n\":\"0.safetensors\""))
                  .starts_with("error: tensor model.norm.weight is in 0.safetensors, but the "
                               "index lists it nowhere\n"));
  EXPECT_TRUE(with_index(without(s.index, norm, "\"n\":\"1.safetensors\"," + norm))
                  .starts_with("error: tensor n is not in 1.safetensors, where the index lists "
                               "it"));
  EXPECT_TRUE(with_index(without(s.index, norm, norm + "\"0.safetensors\"," + norm))
                  .starts_with("error: tensor model.norm.weight is listed twice\n"));
  EXPECT_TRUE(with_index(without(s.index, "\"0.safetensors", "\"../0.safetensors"))
                  .starts_with("error: \"../0.safetensors\" is not the name of a safetensors"));
  EXPECT_TRUE(with_index("{}").starts_with("error: weight_map is missing or empty\n"));
  fs::remove(d.path / "1.safetensors");
  EXPECT_TRUE(with_index(s.index).starts_with("error: cannot read "));
}

TEST(Open, PathsThatAreNoModels) {
  const Directory d;
  EXPECT_TRUE(open_error(d.path / "none")
                  .starts_with("error: " + (d.path / "none").string() + " is not a model\n"));
  EXPECT_TRUE(open_error(d.path).starts_with("error: " + d.path.string() + " has no config.json\n"));
  d.write("config.json", config_to_json(small_config(Family::Qwen3, true), "float32", {}));
  EXPECT_TRUE(open_error(d.path).starts_with("error: cannot read " +
                                             (d.path / "model.safetensors").string()));
  d.write("a.bin", "x");
  EXPECT_TRUE(open_error(d.path / "a.bin").starts_with("error: "));
  fs::create_directory(d.path / "model.safetensors");
  EXPECT_TRUE(open_error(d.path).find("it is not a file") != std::string::npos);
}

TEST(Open, GgufConfigurations) {
  const Directory d;
  const auto with_file = [&](const std::string& file) {
    d.write("m.gguf", file);
    return open_error(d.path / "m.gguf");
  };
  const std::string good = small_gguf(small_config(Family::Qwen3, true));
  EXPECT_EQ(with_file(good), "");
  EXPECT_TRUE(with_file(without(good, "qwen3", "qwen9"))
                  .starts_with("error: model type \"qwen9\" is not supported\n"));
  EXPECT_TRUE(with_file(without(good, "block_count", "block_kount"))
                  .starts_with("error: key qwen3.block_count is missing\n"));
}

TEST(Writer, WhatIsWrittenIsRead) {
  const Directory d;
  const std::string path = (d.path / "w.safetensors").string();
  const std::vector<TensorToWrite> tensors{{"a", DType::BF16, {2, 2}}, {"b", DType::F32, {3}}};
  const std::string data = "12345678abcdefghijkl";
  SafetensorsWriter writer(path, tensors);
  writer.write(as_bytes(data).first(5));
  writer.write(as_bytes(data).subspan(5));
  writer.close();
  const MappedFile file(path);
  const auto read = read_safetensors(file.bytes(), path);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(std::memcmp(read[0].bytes.data(), "12345678", 8), 0);
  EXPECT_EQ(std::memcmp(read[1].bytes.data(), "abcdefghijkl", 12), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read[0].bytes.data()) % 8, 0u);
  EXPECT_TRUE(error_of([&] {
                SafetensorsWriter((d.path / "none/w").string(), tensors);
              }).starts_with("error: cannot write "));
  EXPECT_TRUE(error_of([&] {
                SafetensorsWriter(path, {{"a", DType::F32, {1 << 30, 1 << 24}}});
              }).find(", but the disk has ") != std::string::npos);
}

}  // namespace
}  // namespace checkpoint_test
