// What cannot work is told before work starts.
#include "support.h"
#include "tilewright/base/diagnostic.h"

namespace runtime_test {
namespace {

template <class Work>
std::string told(const Work& work) {
  try {
    work();
  } catch (const UserError& e) {
    return e.diagnostic().code + ": " + e.diagnostic().what;
  }
  return "nothing";
}

struct TiedModel {
  TemporaryDirectory directory;
  Checkpoint checkpoint =
      transformer_test::made(directory,
                             {transformer_test::small_config(Family::Qwen3, true, 4, 2)});
};

TEST(Mistakes, APromptThatDoesNotFit) {
  const TiedModel m;
  Engine engine(m.checkpoint, small_options());
  const auto with = [&](const Ids& prompt) {
    return told([&] { runtime::generate(engine, {request_of(prompt, 1)}); });
  };
  EXPECT_EQ(with(some_tokens(200, 400)), "nothing");
  EXPECT_EQ(with(some_tokens(201, 400)),
            "prompt: a prompt of 201 tokens does not fit into a context of 200");
  EXPECT_EQ(with({}), "prompt: the prompt is empty");
  EXPECT_EQ(with({400}), "prompt: token 400 is outside the vocabulary of 400");
  EXPECT_EQ(told([&] {
              runtime::require_prompt(m.checkpoint.config, small_options(), some_tokens(201, 400));
            }),
            "prompt: a prompt of 201 tokens does not fit into a context of 200");
}

TEST(Mistakes, AContextTheModelWasNotMadeFor) {
  const TiedModel m;
  EngineOptions o = small_options();
  o.context = 257;
  EXPECT_EQ(told([&] { Engine(m.checkpoint, o); }),
            "context: a context of 257 tokens is not supported");
}

TEST(Mistakes, AModelTooLargeForTheMemory) {
  const TiedModel m;
  EngineOptions o = small_options();
  o.memory = runtime::engine_memory(m.checkpoint, o);
  EXPECT_EQ(told([&] { Engine(m.checkpoint, o); }), "nothing");
  o.memory -= 1;
  EXPECT_TRUE(told([&] { Engine(m.checkpoint, o); }).starts_with("model-memory: the model needs"));
}

TEST(Mistakes, SamplingWithoutAMeaning) {
  const TiedModel m;
  Engine engine(m.checkpoint, small_options());
  tokens::SamplingOptions o;
  o.temperature = -1;
  EXPECT_NE(told([&] { runtime::generate(engine, {request_of({1}, 1, o)}); }), "nothing");
}

}  // namespace
}  // namespace runtime_test
