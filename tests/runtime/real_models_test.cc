// Real models, where tools/fetch_models could fetch them: their well-known texts.
#include <cstdio>

#include "support.h"
#include "tilewright/models/transformer/text.h"

namespace runtime_test {
namespace {

#define REQUIRE_MODEL(name)                                                                   \
  const std::string path = (kModels / (name)).string();                                       \
  if (!std::filesystem::exists(path + "/config.json")) {                                      \
    std::fprintf(stderr, "SKIPPED: %s is not there; run tools/fetch_models\n", path.c_str()); \
    GTEST_SKIP() << path << " is not there; run tools/fetch_models";                          \
  }

TEST(RealModels, Stories15MContinuesOnceUponATime) {
  REQUIRE_MODEL("stories15M")
  const Checkpoint model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  Engine engine(model, {.threads = 2});
  const Ids prompt = text.tokenizer->encode("Once upon a time");
  Ids all = prompt;
  const Answer a = runtime::generate(engine, {request_of(prompt, 60)}).front();
  all.insert(all.end(), a.tokens.begin(), a.tokens.end());
  EXPECT_EQ(text.tokenizer->decode(all, true),
            "Once upon a time, there was a little girl named Lily. She loved to play outside in "
            "the sunshine. One day, she saw a big, red ball in the sky. It was the sun! She "
            "thought it was so pretty.\nLily wanted to play with the ball, but it was");
}

TEST(RealModels, Minimind2SmallAnswersInItsFormat) {
  REQUIRE_MODEL("minimind2-small")
  const Checkpoint model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  ASSERT_TRUE(text.chat);
  Engine engine(model, {.threads = 2, .context = 512});
  Request r =
      request_of(text.tokenizer->encode(text.chat->render({{"user", "Hello! Who are you?"}}),
                                        {.surround = false}),
                 120);
  r.stop_ids = text.defaults.stop_ids;
  const Answer a = runtime::generate(engine, {r}).front();
  const std::string answer = text.tokenizer->decode(a.tokens, true);
  EXPECT_EQ(a.ended, Ended::AtStop) << answer;
  EXPECT_EQ(answer, "Hello! How can I assist you today?");
}

}  // namespace
}  // namespace runtime_test
