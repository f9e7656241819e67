// Whole models quantised: the same model in another type.
#include "tilewright/models/transformer/quantize.h"

#include <cmath>
#include <fstream>
#include <limits>

#include "../checkpoint/support.h"
#include "gguf_writer.h"
#include "support.h"
#include "tilewright/checkpoint/mapped_file.h"
#include "tilewright/models/transformer/text.h"

namespace transformer_test {
namespace {

using checkpoint_test::error_of;

std::string bytes_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A model whose rows consist of blocks of 256.
ModelConfig blocks_of_256(Family family, bool tied) {
  ModelConfig c = small_config(family, tied, 4, 2);
  c.hidden = 256;
  c.head_dim = 64;
  c.intermediate = 256;
  return c;
}

double logits_distance(const Checkpoint& a, const Checkpoint& b) {
  Reference::Sequence first, second;
  const Ids text{7, 300, 12, 12, 99};
  const Vector expected = Reference(a).run(first, text).back();
  const Vector found = Reference(b).run(second, text).back();
  double error = 0, size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error += std::pow(found[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  return std::sqrt(error / size);
}

Quantized quantized(const Checkpoint& from, const std::string& path, const char* type) {
  return quantize(from.path, path, find_quantize_type(type));
}

// Errors of the weights add up over the 22 products of these models; the limits are about three
// times the weights' own error.
TEST(Quantize, KeepsTheModel) {
  const struct {
    const char* type;
    double limit;
  } kCases[] = {{"F32", 1e-6}, {"F16", 2e-3},   {"BF16", 1.5e-2}, {"Q8_0", 3e-2},
                {"Q6_K", 0.1}, {"q5_k_m", 0.2}, {"Q4_K_M", 0.4}};
  for (const Family family : {Family::Qwen3, Family::Llama}) {
    const TemporaryDirectory d;
    const Checkpoint original =
        made(d, {blocks_of_256(family, family == Family::Qwen3), DType::F32});
    for (const auto& c : kCases) {
      const Quantized q = quantized(original, d / "m.gguf", c.type);
      const Checkpoint read = checkpoint::open_checkpoint(d / "m.gguf");
      EXPECT_LT(logits_distance(original, read), c.limit) << c.type << family_name(family);
      EXPECT_EQ(q.fallbacks, 0);
      EXPECT_EQ(static_cast<uintmax_t>(q.file_bytes), fs::file_size(d.path / "m.gguf"));
      EXPECT_EQ(read.parameter_count(), original.parameter_count());
    }
  }
}

// Uniform weights: the error of a uniform quantiser with 2^bits levels is about 1 / 2^bits.
TEST(Quantize, ErrorsOfEveryType) {
  const TemporaryDirectory d;
  const Checkpoint original = made(d, {blocks_of_256(Family::Qwen3, true), DType::F32});
  const std::pair<const char*, double> kLimits[] = {
      {"Q8_0", 0.0045}, {"Q6_K", 0.018}, {"Q5_K", 0.035}, {"Q5_1", 0.035},  {"Q5_0", 0.035},
      {"Q4_K", 0.07},   {"Q4_1", 0.07},  {"Q4_0", 0.07},  {"IQ4_NL", 0.08}, {"IQ4_XS", 0.08},
      {"MXFP4", 0.12},  {"Q3_K", 0.14},  {"Q2_K", 0.28}};
  for (const auto& [type, limit] : kLimits) {
    const Quantized q = quantized(original, d / "m.gguf", type);
    EXPECT_LT(q.error, limit) << type;
    ASSERT_EQ(q.types.size(), 2u);
    EXPECT_EQ(checkpoint::stored_type_name(q.types[0].type), type);
    EXPECT_EQ(q.types[0].tensors, 1 + 7 * 3);
    EXPECT_EQ(q.types[1].type, DType::F32);
    EXPECT_EQ(q.types[1].tensors, 1 + 4 * 3);
    EXPECT_EQ(q.types[1].error, 0);
  }
}

TEST(Quantize, TextIsThatOfTheDirectory) {
  const TemporaryDirectory d;
  const Checkpoint original = made(d, {small_config(Family::Qwen3, true, 4, 2), DType::F32});
  quantized(original, d / "m.gguf", "F16");
  const ModelText own = load_text(original.path), read = load_text(d / "m.gguf");
  for (const char* text : {"then the other and 12", " a\n\nb <|im_end|> <think>", "\xE4\xBD\xA0"}) {
    EXPECT_EQ(read.tokenizer->encode(text), own.tokenizer->encode(text));
    EXPECT_EQ(read.tokenizer->decode(own.tokenizer->encode(text), true),
              own.tokenizer->decode(own.tokenizer->encode(text), true));
  }
  EXPECT_EQ(read.tokenizer->size(), 400);
  EXPECT_EQ(read.tokenizer->decode(Ids{399}), "");  // of the embedding, not of the tokenizer
  EXPECT_EQ(read.defaults.stop_ids, own.defaults.stop_ids);
  ASSERT_TRUE(read.chat);
  EXPECT_EQ(read.chat->render({{"user", "hi"}}), own.chat->render({{"user", "hi"}}));
}

TEST(Quantize, AGgufSourceKeepsItsKeysAndMatrices) {
  const TemporaryDirectory d;
  const Checkpoint original = made(d, {blocks_of_256(Family::Llama, false), DType::F32});
  quantized(original, d / "a.gguf", "Q8_0");
  const Checkpoint a = checkpoint::open_checkpoint(d / "a.gguf");
  quantized(a, d / "same.gguf", "Q8_0");
  EXPECT_TRUE(bytes_of_file(d / "a.gguf") == bytes_of_file(d / "same.gguf"));
  const Quantized q = quantized(a, d / "b.gguf", "Q4_K_M");
  EXPECT_LT(q.error, 0.08);
  const checkpoint::MappedFile mapped_a(d / "a.gguf"), mapped_b(d / "b.gguf");
  const auto file_a = checkpoint::read_gguf(mapped_a.bytes(), "a.gguf");
  const auto file_b = checkpoint::read_gguf(mapped_b.bytes(), "b.gguf");
  ASSERT_EQ(file_b.values.size(), file_a.values.size());
  for (std::size_t i = 0; i < file_a.values.size(); ++i) {
    EXPECT_EQ(file_b.values[i].first, file_a.values[i].first);
    if (file_a.values[i].first == "general.file_type") continue;
    EXPECT_TRUE(file_b.values[i].second.bytes == file_a.values[i].second.bytes);
  }
  EXPECT_EQ(file_b.find("general.file_type")->integer(), 15);
  EXPECT_EQ(file_b.find("general.quantization_version")->integer(), 2);
}

TEST(Quantize, MixturesAndRowsThatBlocksDoNotDivide) {
  const QuantizeType& m = find_quantize_type("Q4_K_M");
  EXPECT_EQ(matrix_type(m, "output.weight", 16, false), DType::Q6_K);
  EXPECT_EQ(matrix_type(m, "token_embd.weight", 16, false), DType::Q4_K);
  EXPECT_EQ(matrix_type(m, "token_embd.weight", 16, true), DType::Q6_K);
  int more = 0;
  for (int layer = 0; layer < 16; ++layer)
    more += matrix_type(m, "blk." + std::to_string(layer) + ".ffn_down.weight", 16, true) ==
            DType::Q6_K;
  EXPECT_EQ(more, 8);
  EXPECT_EQ(matrix_type(m, "blk.0.attn_v.weight", 16, true), DType::Q6_K);
  EXPECT_EQ(matrix_type(m, "blk.0.attn_q.weight", 16, true), DType::Q4_K);
  EXPECT_EQ(type_for_rows(DType::Q2_K, 96), DType::Q4_0);
  EXPECT_EQ(type_for_rows(DType::Q4_K, 96), DType::Q5_0);
  EXPECT_EQ(type_for_rows(DType::Q5_K, 96), DType::Q5_1);
  EXPECT_EQ(type_for_rows(DType::Q6_K, 96), DType::Q8_0);
  EXPECT_EQ(type_for_rows(DType::IQ4_XS, 96), DType::IQ4_NL);
  EXPECT_EQ(type_for_rows(DType::Q6_K, 40), DType::F16);
  EXPECT_EQ(type_for_rows(DType::Q6_K, 512), DType::Q6_K);

  const TemporaryDirectory d;
  const Checkpoint original = made(d, {small_config(Family::Llama, true, 4, 2), DType::F32});
  const Quantized q = quantized(original, d / "m.gguf", "Q4_K_M");
  EXPECT_EQ(q.fallbacks, 1 + 7 * 3);
  EXPECT_LT(logits_distance(original, checkpoint::open_checkpoint(d / "m.gguf")), 0.2);
}

TEST(Quantize, ThreadsDoNotChangeTheFile) {
  const TemporaryDirectory d;
  ModelConfig c = blocks_of_256(Family::Qwen3, true);
  c.vocab = 3000;
  const Checkpoint original = made(d, {c, DType::BF16});
  const QuantizeType& type = find_quantize_type("Q4_K");
  double last = 0;
  const Quantized a = quantize(original.path, d / "a.gguf", type, 1, [&](double done) {
    EXPECT_GE(done, last);
    last = done;
  });
  EXPECT_EQ(last, 1);
  const Quantized b = quantize(original.path, d / "b.gguf", type, 5);
  EXPECT_EQ(a.error, b.error);
  EXPECT_TRUE(bytes_of_file(d / "a.gguf") == bytes_of_file(d / "b.gguf"));
}

TEST(Quantize, RefusalsLeaveNothing) {
  const TemporaryDirectory d;
  const Checkpoint original = made(d, {small_config(Family::Qwen3, false, 4, 2), DType::F32});
  quantized(original, d / "m.gguf", "F32");
  const Checkpoint gguf = checkpoint::open_checkpoint(d / "m.gguf");
  const auto told = [&](const Checkpoint& from, const std::string& path, const char* type) {
    return error_of([&] { quantized(from, path, type); });
  };
  EXPECT_TRUE(told(gguf, d / "m.gguf", "Q8_0").find("is the model that is read\n") !=
              std::string::npos);
  EXPECT_TRUE(told(gguf, d / "m.bin", "Q8_0").find("does not end in .gguf\n") != std::string::npos);
  EXPECT_TRUE(told(gguf, d / "none/m.gguf", "Q8_0").starts_with("error: cannot write "));
  EXPECT_TRUE(told(gguf, d / "x.gguf", "Q9").find("the types are Q4_K_M, Q5_K_M, Q8_0") !=
              std::string::npos);

  // One weight, the last of lm_head, that is not a number or too large for F16.
  const fs::path weights = d.path / "model" / "model.safetensors";
  std::string bytes = bytes_of_file(weights);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), 1e6f}) {
    std::memcpy(bytes.data() + bytes.size() - 4, &bad, 4);
    std::ofstream(weights, std::ios::binary) << bytes;
    const std::string text = told(original, d / "x.gguf", "Q8_0");
    EXPECT_TRUE(text.find("error: tensor lm_head.weight holds ") == 0) << text;
    EXPECT_TRUE(text.find(" at [399, 63], which Q8_0 cannot hold\n") != std::string::npos) << text;
  }
  EXPECT_TRUE(told(original, d / "x.gguf", "F16").find("which F16 cannot hold") !=
              std::string::npos);
  for (const auto& entry : fs::directory_iterator(d.path)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "model" || name == "m.gguf") << name;
  }
}

}  // namespace
}  // namespace transformer_test
