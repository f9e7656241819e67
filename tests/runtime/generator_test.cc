// Sequences continued together: each says what it says alone.
#include "support.h"

namespace runtime_test {
namespace {

struct UntiedModel {
  TemporaryDirectory directory;
  Checkpoint checkpoint =
      transformer_test::made(directory, {transformer_test::small_config(Family::Qwen3, false, 8, 2),
                                         DType::BF16, 5});
};

tokens::SamplingOptions lively(uint64_t seed) {
  tokens::SamplingOptions o;
  o.temperature = 8;
  o.top_p = 0.95;
  o.repetition_penalty = 1.1;
  o.seed = seed;
  return o;
}

std::vector<Request> requests() {
  std::vector<Request> out;
  for (int64_t i = 0; i < 7; ++i)
    out.push_back(request_of(some_tokens(2 + 17 * i, 400, i), 5 + 3 * i,
                             lively(static_cast<uint64_t>(i % 3))));
  return out;
}

std::vector<Ids> tokens_of(const std::vector<Answer>& answers) {
  std::vector<Ids> out;
  for (const Answer& a : answers) out.push_back(a.tokens);
  return out;
}

TEST(Generate, ASeedGivesTheSameTextInAnyBatchWithAnyThreads) {
  const UntiedModel m;
  std::vector<Ids> alone;
  {
    Engine engine(m.checkpoint, small_options(1));
    for (const Request& r : requests())
      alone.push_back(runtime::generate(engine, {r}).front().tokens);
  }
  {
    Engine engine(m.checkpoint, small_options());
    Request other = requests()[1];
    other.sampling.seed = 77;
    EXPECT_NE(runtime::generate(engine, {other}).front().tokens, alone[1]);
  }
  for (const int64_t slots : {1, 3, 8})
    for (const int threads : {1, 3}) {
      EngineOptions o = small_options(threads);
      o.slots = slots;
      Engine engine(m.checkpoint, o);
      EXPECT_EQ(tokens_of(runtime::generate(engine, requests())), alone)
          << slots << " slots, " << threads << " threads";
    }
}

TEST(Generate, GreedilyFollowsTheReference) {
  const UntiedModel m;
  Engine engine(m.checkpoint, small_options());
  const Ids prompt = some_tokens(60, 400);
  const Answer a = runtime::generate(engine, {request_of(prompt, 20)}).front();
  EXPECT_EQ(a.tokens, transformer_test::continued(Reference(m.checkpoint), prompt, 20));
  EXPECT_EQ(a.ended, Ended::AtLength);
  EXPECT_EQ(a.prompt_tokens, 60);
}

TEST(Generate, EndsAtAStopAndAtTheEndOfTheContext) {
  const UntiedModel m;
  Engine engine(m.checkpoint, small_options());
  Request r = request_of(some_tokens(60, 400), 20);
  const Ids free = runtime::generate(engine, {r}).front().tokens;
  r.stop_ids = {free[4]};
  const Answer stopped = runtime::generate(engine, {r}).front();
  EXPECT_EQ(stopped.ended, Ended::AtStop);
  EXPECT_EQ(stopped.tokens, Ids(free.begin(), std::ranges::find(free, free[4])));
  const Answer full = runtime::generate(engine, {request_of(some_tokens(195, 400), 20)}).front();
  EXPECT_EQ(full.ended, Ended::AtContext);
  EXPECT_EQ(full.tokens.size(), 6u);  // 195 and 5 more fill 200; the last one's successor is chosen
  EXPECT_EQ(engine.pages_in_use(), 0);
}

TEST(Generate, StopsWhenInterruptedAndKeepsWhatThereIs) {
  const UntiedModel m;
  Engine engine(m.checkpoint, small_options());
  std::atomic<bool> stop{false};
  std::vector<Request> all = requests();
  int64_t seen = 0;
  for (Request& r : all) r.on_token = [&](const runtime::Chosen&) { stop = ++seen >= 5; };
  const auto answers = runtime::generate(engine, all, &stop);
  int64_t kept = 0;
  for (const Answer& a : answers) {
    kept += static_cast<int64_t>(a.tokens.size());
    EXPECT_EQ(a.ended, Ended::Interrupted);
  }
  EXPECT_EQ(kept, seen);
  EXPECT_EQ(engine.pages_in_use(), 0);
}

// Nothing is made, but the prompt is read, and how fast is told.
TEST(Generate, NoTokensAreAlsoAnAnswer) {
  const UntiedModel m;
  Engine engine(m.checkpoint, small_options());
  const Answer a = runtime::generate(engine, {request_of(some_tokens(60, 400), 0)}).front();
  EXPECT_TRUE(a.tokens.empty());
  EXPECT_EQ(a.ended, Ended::AtLength);
  EXPECT_GT(a.prompt_rate(), 0);
  EXPECT_EQ(a.rate(), 0);
}

}  // namespace
}  // namespace runtime_test
