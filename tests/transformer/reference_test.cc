// The double-precision reference against what follows from the equations, and against real models.
#include <cmath>
#include <fstream>

#include "support.h"
#include "tilewright/tokens/chat.h"
#include "tilewright/tokens/generation.h"
#include "tilewright/tokens/tokenizer.h"

namespace transformer_test {
namespace {

double distance(const Vector& a, const Vector& b) {
  double d = 0, n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    d += (a[i] - b[i]) * (a[i] - b[i]);
    n += b[i] * b[i];
  }
  return std::sqrt(d / n);
}

TEST(Reference, TheCacheIsWhatWasSeenInItsOrder) {
  const TemporaryDirectory d;
  const Reference model(made(d, {small_config(Family::Qwen3, true, 4, 2), DType::F32}));
  const Ids text{5, 9, 77, 5, 300};
  Reference::Sequence whole;
  const Vector logits = model.run(whole, text).back();
  EXPECT_EQ(whole.length(), 5);

  Reference::Sequence swapped;  // the order of earlier tokens
  EXPECT_GT(distance(model.run(swapped, Ids{9, 5, 77, 5, 300}).back(), logits), 0.01);
  Reference::Sequence shorter;  // what came before
  EXPECT_GT(distance(model.run(shorter, Ids{300}).back(), logits), 0.01);
  Reference::Sequence parts;  // in two goes
  model.run(parts, Ids{5, 9});
  EXPECT_EQ(model.run(parts, Ids{77, 5, 300}).back(), logits);
}

TEST(Reference, StoredTypesGiveNearlyTheSame) {
  const ModelConfig config = small_config(Family::Llama, false, 8, 1);
  Vector exact;
  for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
    const TemporaryDirectory d;
    const Reference model(made(d, {config, type}));
    Reference::Sequence sequence;
    const Vector logits = model.run(sequence, Ids{1, 2, 3, 4}).back();
    if (type == DType::F32) exact = logits;
    EXPECT_LT(distance(logits, exact), type == DType::BF16 ? 3e-2 : 3e-3);
  }
}

struct Real {
  std::optional<Checkpoint> checkpoint;
  explicit Real(const char* name) {
    if (fs::exists(kModels / name))
      checkpoint = checkpoint::open_checkpoint((kModels / name).string());
  }
};

TEST(RealModels, Stories15MTellsItsStory) {
  const Real real("stories15M");
  if (!real.checkpoint) GTEST_SKIP() << "SKIPPED: stories15M is not there; run tools/fetch_models";
  const auto loaded = tokens::load_tokenizer(real.checkpoint->path);
  const tokens::Tokenizer& t = *loaded;
  const Ids prompt = t.encode("Once upon a time");
  EXPECT_EQ(prompt, (Ids{1, 9038, 2501, 263, 931}));
  Ids all = prompt;
  for (const int32_t id : continued(Reference(*real.checkpoint), prompt, 40)) all.push_back(id);
  EXPECT_EQ(
      t.decode(all, true),
      "Once upon a time, there was a little girl named Lily. She loved to play outside in the "
      "sunshine. One day, she saw a big, red ball in the sky. It was the sun!");
}

TEST(RealModels, MinimindAnswersInItsChatFormat) {
  const Real real("minimind2-small");
  if (!real.checkpoint)
    GTEST_SKIP() << "SKIPPED: minimind2-small is not there; run tools/fetch_models";
  const auto loaded = tokens::load_tokenizer(real.checkpoint->path);
  const tokens::Tokenizer& t = *loaded;
  const auto chat = tokens::load_chat_template(real.checkpoint->path);
  const auto defaults = tokens::load_generation_defaults(real.checkpoint->path);
  const Ids prompt = t.encode(chat->render({{"user", "Who are you?"}}));
  const Ids answer = continued(Reference(*real.checkpoint), prompt, 24, defaults.stop_ids);
  const std::string text = t.decode(answer);
  EXPECT_NE(text.find("I am"), std::string::npos) << text;
}

}  // namespace
}  // namespace transformer_test
