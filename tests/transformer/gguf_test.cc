// GGUF files of whole models: the same weights and the same text as in the directory they are from.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../checkpoint/support.h"
#include "gguf_writer.h"
#include "support.h"
#include "tilewright/models/transformer/text.h"

namespace transformer_test {
namespace {

using checkpoint::GgufFile;
using checkpoint_test::as_bytes;
using checkpoint_test::GgufBuilder;

TEST(Gguf, GivesTheLogitsOfTheDirectoryItIsFrom) {
  for (const Family family : {Family::Qwen3, Family::Llama, Family::Qwen2, Family::Mistral})
    for (const DType type : {DType::F32, DType::Q8_0}) {
      const TemporaryDirectory d;
      const Checkpoint original = made(d, {small_config(family, false, 4, 2), DType::F32});
      const fs::path path = d.path / "model.gguf";
      write_gguf(original, type, path);
      const Checkpoint same = checkpoint::open_checkpoint(path.string());
      Reference::Sequence a, b;
      const Ids text{7, 300, 12, 12, 99};
      const Vector expected = Reference(original).run(a, text).back();
      const Vector found = Reference(same).run(b, text).back();
      double error = 0, size = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        error += std::pow(found[i] - expected[i], 2);
        size += std::pow(expected[i], 2);
      }
      // Numbers of the configuration are F32 there; eight bits lose about one in 250.
      EXPECT_LT(std::sqrt(error / size), type == DType::F32 ? 1e-6 : 3e-2) << family_name(family);
    }
}

GgufFile parsed(const std::string& file) { return checkpoint::read_gguf(as_bytes(file), "m.gguf"); }

TEST(Gguf, ByteLevelTokenizer) {
  const fs::path fixtures = TILEWRIGHT_FIXTURES;
  std::ifstream small(fixtures / "small.json"), cases(fixtures / "small.cases.json");
  const auto j = nlohmann::json::parse(small);
  std::vector<std::string> pieces(j["model"]["vocab"].size() + j["added_tokens"].size()), merges;
  for (const auto& [piece, id] : j["model"]["vocab"].items()) pieces[id.get<std::size_t>()] = piece;
  std::vector<int32_t> types(pieces.size(), 1);
  for (const auto& t : j["added_tokens"]) {
    pieces[t["id"].get<std::size_t>()] = t["content"];
    types[t["id"].get<std::size_t>()] = t["special"].get<bool>() ? 3 : 4;
  }
  for (const auto& m : j["model"]["merges"])
    merges.push_back(m[0].get<std::string>() + " " + m[1].get<std::string>());
  GgufBuilder b;
  b.string("tokenizer.ggml.model", "gpt2");
  b.string("tokenizer.ggml.pre", "qwen2");
  b.strings("tokenizer.ggml.tokens", pieces);
  b.i32s("tokenizer.ggml.token_type", types);
  b.strings("tokenizer.ggml.merges", merges);
  const std::string file = b.file();
  const tokens::Tokenizer t(tokenizer_of_gguf(parsed(file), "m.gguf"), "m.gguf");
  for (const auto& c : nlohmann::json::parse(cases)) {
    if (!c[0].is_string()) continue;  // bytes that JSON cannot hold
    EXPECT_EQ(t.encode(c[0].get<std::string>()), c[1].get<Ids>()) << c[0];
  }
}

// Pieces of letters with scores: the best-scored merge comes first, wherever it stands.
GgufBuilder scored() {
  std::vector<std::string> pieces{"<unk>", "<s>", "</s>"};
  std::vector<int32_t> types{2, 3, 3};
  std::vector<float> scores{0, 0, 0};
  const auto add = [&](const std::string& piece, int32_t type, float score) {
    pieces.push_back(piece);
    types.push_back(type);
    scores.push_back(score);
  };
  for (int byte = 0; byte < 256; ++byte) add(fmt::format("<0x{:02X}>", byte), 6, 0);
  for (const char* letter : {"\xE2\x96\x81", "a", "b", "c"}) add(letter, 1, -100);
  add("ab", 1, -3);
  add("bc", 1, -1);
  add("abc", 1, -2);
  add("\xE2\x96\x81"
      "a",
      1, -4);
  GgufBuilder b;
  b.string("tokenizer.ggml.model", "llama");
  b.strings("tokenizer.ggml.tokens", pieces);
  b.i32s("tokenizer.ggml.token_type", types);
  b.f32s("tokenizer.ggml.scores", scores);
  b.u32("tokenizer.ggml.bos_token_id", 1);
  b.u32("tokenizer.ggml.eos_token_id", 2);
  return b;
}

TEST(Gguf, ScoredTokenizer) {
  const std::string file = scored().file();
  const tokens::Tokenizer t(tokenizer_of_gguf(parsed(file), "m.gguf"), "m.gguf");
  const auto pieces = [&](const std::string& text) {
    std::vector<std::string> out;
    for (const int32_t id : t.encode(text)) out.emplace_back(t.bytes(id));
    return out;
  };
  using Pieces = std::vector<std::string>;
  EXPECT_EQ(pieces("abc"), (Pieces{"<s>", " ", "abc"}));  // bc, then a + bc; never the worse ab
  EXPECT_EQ(pieces("aab"), (Pieces{"<s>", " a", "ab"}));
  EXPECT_EQ(pieces("ax"), (Pieces{"<s>", " a", "x"}));  // x is a byte
  EXPECT_EQ(t.decode(t.encode("abc \xE4\xBD\xA0"), true), "abc \xE4\xBD\xA0");
}

TEST(Gguf, WhereATextStops) {
  const TemporaryDirectory d;
  GgufBuilder b = scored();
  b.string("tokenizer.chat_template", "{{ bos_token }}{{ messages[0].content }}");
  std::ofstream(d.path / "m.gguf", std::ios::binary) << b.file();
  const ModelText text = load_text((d.path / "m.gguf").string());
  EXPECT_EQ(text.defaults.stop_ids, Ids{2});
  EXPECT_EQ(text.chat->render({{"user", "hi"}}), "<s>hi");
}

TEST(Gguf, TokenizersAreRefusedByName) {
  const auto told = [](const GgufBuilder& b) {
    const std::string file = b.file();
    return checkpoint_test::error_of([&] { tokenizer_of_gguf(parsed(file), "m.gguf"); });
  };
  GgufBuilder none;
  EXPECT_TRUE(told(none).starts_with("error: key tokenizer.ggml.model is missing\n"));
  GgufBuilder bert;
  bert.string("tokenizer.ggml.model", "bert");
  bert.strings("tokenizer.ggml.tokens", {"a"});
  EXPECT_TRUE(told(bert).starts_with("error: tokenizer model \"bert\" is not supported\n"));
  GgufBuilder pre;
  pre.string("tokenizer.ggml.model", "gpt2");
  pre.strings("tokenizer.ggml.tokens", {"a"});
  pre.string("tokenizer.ggml.pre", "deepseek-llm");
  EXPECT_TRUE(told(pre).starts_with("error: pre-tokenizer \"deepseek-llm\" is not supported\n"));
  GgufBuilder scores;
  scores.string("tokenizer.ggml.model", "llama");
  scores.strings("tokenizer.ggml.tokens", {"a"});
  scores.f32s("tokenizer.ggml.scores", {NAN});
  EXPECT_TRUE(told(scores).starts_with("error: tokenizer.ggml.scores holds something"));
}

}  // namespace
}  // namespace transformer_test
