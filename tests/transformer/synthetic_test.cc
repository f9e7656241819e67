// Synthetic checkpoints are complete models: files, text, and logits that mean something.
#include <cmath>
#include <fstream>
#include <set>

#include "support.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/models/qwen3/shapes.h"
#include "tilewright/tokens/chat.h"
#include "tilewright/tokens/generation.h"
#include "tilewright/tokens/tokenizer.h"

namespace transformer_test {
namespace {

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Synthetic, HasEveryPart) {
  const TemporaryDirectory d;
  const ModelConfig config = models::qwen3::find_model("tiny");
  const Checkpoint c = made(d, {config});
  EXPECT_EQ(c.config.hidden, config.hidden);
  EXPECT_EQ(c.config.tied, true);
  EXPECT_EQ(c.weights.layers.size(), 2u);
  EXPECT_EQ(c.weights.embedding.type, DType::BF16);
  const auto loaded = tokens::load_tokenizer(c.path);
  const tokens::Tokenizer& t = *loaded;
  const std::string text = "The thing and the sound of it, 123 \xE4\xBD\xA0\xE5\xA5\xBD!";
  EXPECT_EQ(t.decode(t.encode(text)), text);
  EXPECT_LT(t.encode(text).size(), text.size());
  EXPECT_LE(t.size(), config.vocab);
  const auto chat = tokens::load_chat_template(c.path);
  ASSERT_TRUE(chat);
  EXPECT_EQ(chat->render({{"user", "Hi"}}, {.open_answer = true, .thinking = false}),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
  const auto defaults = tokens::load_generation_defaults(c.path);
  EXPECT_EQ(defaults.stop_ids, (Ids{*t.find("<|im_end|>"), *t.find("<|endoftext|>")}));
}

TEST(Synthetic, TheSeedDecidesTheBytes) {
  const TemporaryDirectory a, b, c;
  const ModelConfig config = small_config(Family::Llama, false, 4, 2);
  made(a, {config, DType::F16, 7});
  made(b, {config, DType::F16, 7});
  made(c, {config, DType::F16, 8});
  const std::string file = "model/model.safetensors";
  EXPECT_EQ(bytes_of(a.path / file), bytes_of(b.path / file));
  EXPECT_NE(bytes_of(a.path / file), bytes_of(c.path / file));
}

TEST(Synthetic, NeverOverwrites) {
  const TemporaryDirectory d;
  const ModelConfig config = small_config(Family::Qwen3, true, 4, 2);
  made(d, {config});
  EXPECT_THROW(made(d, {config}), UserError);
}

// One token stands out, which one depends on the text, and nothing grows without bounds.
TEST(Synthetic, LogitsArePeakedAndFinite) {
  for (const bool tied : {true, false}) {
    const TemporaryDirectory d;
    const Reference model(made(d, {small_config(Family::Qwen3, tied, 4, 2)}));
    Reference::Sequence sequence;
    std::set<int32_t> chosen;
    double gaps = 0;
    constexpr int kTokens = 60;
    for (int i = 0; i < kTokens; ++i) {
      Vector logits = model.step(sequence, (i * 37) % 400);
      double square = 0;
      for (const double v : logits) {
        ASSERT_TRUE(std::isfinite(v));
        square += v * v;
      }
      chosen.insert(best(logits));
      std::ranges::partial_sort(logits, logits.begin() + 2, std::greater<>());
      gaps += (logits[0] - logits[1]) / std::sqrt(square / 400) / kTokens;
      EXPECT_LT(logits[0], 200);
    }
    EXPECT_GT(chosen.size(), 5u);
    EXPECT_GT(gaps, 1.0);  // of the logits' own size
  }
}

}  // namespace
}  // namespace transformer_test
