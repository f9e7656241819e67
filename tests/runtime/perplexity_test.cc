// Perplexity against the double-precision reference, on synthetic models and on real ones.
#include <cstdio>

#include "support.h"
#include "tilewright/models/transformer/quantize.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/runtime/perplexity.h"

namespace runtime_test {
namespace {

using runtime::Perplexity;
using transformer_test::TemporaryDirectory;

double log_sum(const Vector& logits) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double x : logits) sum += std::exp(x - largest);
  return std::log(sum) + largest;
}

// From the definition: chunks by themselves, the second half of each counts.
double reference_perplexity(const Checkpoint& model, const Ids& text, std::size_t chunk,
                            std::optional<int32_t> begin) {
  const Reference reference(model);
  double sum = 0;
  int64_t count = 0;
  for (std::size_t at = 0; at + chunk <= text.size(); at += chunk) {
    Ids part(text.begin() + static_cast<std::ptrdiff_t>(at),
             text.begin() + static_cast<std::ptrdiff_t>(at + chunk));
    if (begin) part[0] = *begin;
    Reference::Sequence sequence;
    const std::vector<Vector> logits = reference.run(sequence, part);
    for (std::size_t i = chunk / 2; i + 1 < chunk; ++i, ++count)
      sum += log_sum(logits[i]) - logits[i][static_cast<std::size_t>(part[i + 1])];
  }
  return std::exp(sum / static_cast<double>(count));
}

TEST(Perplexity, FollowsTheDefinition) {
  const TemporaryDirectory d;
  const Checkpoint model =
      transformer_test::made(d, {transformer_test::small_config(Family::Qwen3, false, 4, 2),
                                 DType::F32});
  const Ids text = some_tokens(170, model.config.vocab);
  Engine engine(model, small_options());
  for (const int64_t chunk : {50, 51, 120, 200})
    for (const std::optional<int32_t> begin : {std::optional<int32_t>(), std::optional(3)}) {
      const Perplexity p = runtime::perplexity(engine, text, {.context = chunk, .begin = begin});
      const auto length = std::min(static_cast<std::size_t>(chunk), text.size());
      EXPECT_EQ(p.chunks, static_cast<int64_t>(text.size() / length));
      EXPECT_EQ(p.tokens, p.chunks * static_cast<int64_t>(length - length / 2 - 1));
      EXPECT_NEAR(p.value / reference_perplexity(model, text, length, begin), 1, 1e-4) << chunk;
      EXPECT_GT(p.error, 0);
    }
  EXPECT_EQ(engine.free_slots(), engine.slots());
}

TEST(Perplexity, StopsWhenAsked) {
  const TemporaryDirectory d;
  const Checkpoint model =
      transformer_test::made(d, {transformer_test::small_config(Family::Llama, true, 4, 2),
                                 DType::F32});
  Engine engine(model, small_options());
  const std::atomic<bool> stop = true;
  const Perplexity p =
      runtime::perplexity(engine, some_tokens(100, model.config.vocab), {.context = 20}, &stop);
  EXPECT_TRUE(p.interrupted);
  EXPECT_EQ(p.tokens, 0);
}

// A story of the kind that the model was trained on; no part of a training set.
constexpr const char* kStory =
    "Once upon a time, there was a small boat named Pip. Pip lived in a quiet bay with many big "
    "ships. Every day the big ships went out to sea, and every day Pip stayed at home. \"I want to "
    "see the world,\" said Pip. \"You are too little,\" said the big ships. One morning a storm "
    "came. "
    "The wind was loud and the waves were high. A little girl was in the water, and she was very "
    "scared. The big ships could not go near the rocks. But Pip was small. Pip went between the "
    "rocks and the girl climbed into the boat. Everyone was happy. The big ships said, \"You are "
    "brave, Pip.\" From that day on, Pip went out to sea with all the others, and the girl waved "
    "from the beach. They were friends, and they played together every day in the sun.";

// The engine against the reference on the same weights, and what each type costs. Rows in 8 bits
// change single probabilities by several per cent either way, and their mean over these 94 tokens
// by up to one.
TEST(Perplexity, OfARealModelInEveryKindOfType) {
  const std::string path = (kModels / "stories15M").string();
  if (!std::filesystem::exists(path + "/config.json")) {
    std::fprintf(stderr, "SKIPPED: %s is not there; run tools/fetch_models\n", path.c_str());
    GTEST_SKIP() << path << " is not there; run tools/fetch_models";
  }
  const auto text = models::transformer::load_text(path);
  const Ids tokens = text.tokenizer->encode(kStory);
  const TemporaryDirectory d;
  struct Expected {
    const char* type;
    double of_reference, of_f32;  // most relative distance
  };
  double f32 = 0;
  for (const Expected& e : {Expected{"F32", 1e-4, 0}, Expected{"F16", 1e-3, 1e-3},
                            Expected{"Q8_0", 1e-2, 1e-2}, Expected{"Q4_K_M", 1e-2, 0.1}}) {
    const std::string file = d / (std::string(e.type) + ".gguf");
    models::transformer::quantize(path, file, models::transformer::find_quantize_type(e.type), 2);
    const Checkpoint model = checkpoint::open_checkpoint(file);
    Engine engine(model, {.threads = 2, .context = 256});
    const double found = runtime::perplexity(engine, tokens, {.context = 256}).value;
    const double expected =
        reference_perplexity(model, tokens, std::min<std::size_t>(256, tokens.size()), {});
    if (f32 == 0) f32 = found;
    std::printf("%-7s perplexity %.4f, reference %.4f\n", e.type, found, expected);
    EXPECT_NEAR(found / expected, 1, e.of_reference) << e.type;
    if (e.of_f32 > 0) {
      EXPECT_NEAR(found / f32, 1, e.of_f32) << e.type;
    }
  }
}

}  // namespace
}  // namespace runtime_test
