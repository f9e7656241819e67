// Logits of prompts and of decoding beside the reference in double precision.
#include <cmath>

#include "support.h"

namespace runtime_test {
namespace {

constexpr std::size_t kSteps = 32;

struct Case {
  ModelConfig config;
  DType type;
  double tolerance;
  // Among many steps some have two logits closer than BF16 tells apart: then either is right.
  bool ties = false;
};

double size_of(const Vector& logits) {
  double squares = 0;
  for (const double v : logits) squares += v * v;
  return std::sqrt(squares / static_cast<double>(logits.size()));
}

// The whole prompt in chunks, then greedy steps; both sides go on with the reference's tokens, which
// must be the engine's own choice.
void compare(const Case& c, cpu::InstructionSet instructions) {
  SCOPED_TRACE(std::string(instructions.name()) + " " + std::string(family_name(c.config.family)) +
               (c.config.tied ? " tied" : " untied") + " group " +
               std::to_string(c.config.heads / c.config.kv_heads) + " hidden " +
               std::to_string(c.config.hidden));
  const TemporaryDirectory d;
  const Checkpoint model = transformer_test::made(d, {c.config, c.type, 7});
  const Reference reference(model);
  EngineOptions options = small_options();
  options.instructions = instructions;
  Engine engine(model, options);
  const Ids prompt = some_tokens(70, c.config.vocab);
  const int slot = engine.open_slot();
  Reference::Sequence sequence;
  const std::vector<Vector> expected = reference.run(sequence, prompt);
  const std::vector<Logits> found = read_in_pieces(engine, slot, prompt, {48});
  Distance of_prompt, of_steps;
  for (std::size_t i = 0; i < prompt.size(); ++i) of_prompt.add(found[i], expected[i]);
  Vector logits = expected.back();
  Logits ours = found.back();
  for (std::size_t i = 0; i < kSteps; ++i) {
    const int32_t token = best(logits);
    const int32_t chosen = best_of(ours);
    const double ahead = logits[static_cast<std::size_t>(token)] -
                         logits[static_cast<std::size_t>(chosen)];
    const bool tie = c.ties && ahead <= 2 * c.tolerance * size_of(logits);
    ASSERT_TRUE(chosen == token || tie) << "step " << i;
    logits = reference.step(sequence, token);
    ours = copied(engine.step(rows_of(slot, {&token, 1}, true)).front());
    of_steps.add(ours, logits);
  }
  EXPECT_LT(of_prompt.all(), c.tolerance);
  EXPECT_LT(of_steps.all(), c.tolerance);
  // In FP32 no row hides among the others, either.
  if (c.type == DType::F32) {
    EXPECT_LT(of_prompt.worst(), c.tolerance);
    EXPECT_LT(of_steps.worst(), c.tolerance);
  }
}

void compare(const Case& c) {
  for (const cpu::InstructionSet& set : instruction_sets()) compare(c, set);
}

// GQA groups of 1, 2 and 8.
constexpr std::array<int64_t, 3> kKvHeads{8, 4, 1};

TEST(Logits, Bf16FollowsTheReference) {
  for (const int64_t kv : kKvHeads)
    for (const bool tied : {false, true}) {
      compare({transformer_test::small_config(Family::Qwen3, tied, 8, kv), DType::BF16, 2e-2});
      compare({wide_config(Family::Qwen3, tied, 8, kv), DType::BF16, 2e-2});
    }
}

TEST(Logits, F32FollowsTheReferenceClosely) {
  for (const int64_t kv : kKvHeads)
    for (const bool tied : {false, true}) {
      compare({transformer_test::small_config(Family::Qwen3, tied, 8, kv), DType::F32, 1e-4});
      compare({wide_config(Family::Qwen3, tied, 8, kv), DType::F32, 1e-4});
    }
}

TEST(Logits, LlamaToo) {
  compare({transformer_test::small_config(Family::Llama, false, 6, 3), DType::F32, 1e-4});
  compare({wide_config(Family::Llama, true, 6, 2), DType::BF16, 2e-2});
}

// q, k and v have biases.
TEST(Logits, Qwen2Too) {
  for (const bool tied : {false, true}) {
    compare({transformer_test::small_config(Family::Qwen2, tied, 6, 3), DType::F32, 1e-4});
    compare({wide_config(Family::Qwen2, tied, 8, 1), DType::BF16, 2e-2});
  }
  compare({transformer_test::small_config(Family::Qwen2, false, 8, 2), DType::BF16, 2e-2});
  compare({wide_config(Family::Qwen2, true, 8, 4), DType::F32, 1e-4});
}

TEST(Logits, MistralToo) {
  compare({transformer_test::small_config(Family::Mistral, true, 6, 3), DType::BF16, 2e-2});
  compare({wide_config(Family::Mistral, false, 6, 2), DType::F32, 1e-4});
}

// Experts: a row whose third and fourth expert are nearly as probable may get the other one in BF16.
TEST(Logits, Qwen3MoeToo) {
  for (const bool tied : {false, true}) {
    compare({transformer_test::small_config(Family::Qwen3Moe, tied, 4, 2), DType::F32, 1e-4});
    compare({wide_config(Family::Qwen3Moe, tied, 8, 1), DType::F32, 1e-4});
  }
}

// Scaled RoPE with original contexts far below the 102 positions of the test.
TEST(Logits, ScaledRopeToo) {
  using Type = checkpoint::RopeScaling::Type;
  const checkpoint::RopeScaling all[] = {
      {.type = Type::Linear, .factor = 4},
      {.type = Type::Llama3, .factor = 8, .original_positions = 32},
      {.type = Type::Yarn, .factor = 4, .original_positions = 32},
      {.type = Type::Yarn,
       .factor = 8,
       .original_positions = 16,
       .beta_fast = 4,
       .attention_factor = 1.1},
  };
  for (const auto& rope : all)
    for (const bool tied : {false, true}) {
      const auto small = transformer_test::small_config(Family::Llama, tied, 4, 2);
      compare({transformer_test::scaled(small, rope), DType::F32, 1e-4});
      const auto wide = wide_config(Family::Qwen3, tied, 6, 2);
      compare({transformer_test::scaled(wide, rope), DType::BF16, 2e-2, true});
    }
}

// Nothing a tile or a panel divides.
TEST(Logits, OddSizes) {
  ModelConfig c = transformer_test::small_config(Family::Qwen3, false, 3, 3);
  c.hidden = 37;
  c.head_dim = 10;
  c.intermediate = 53;
  c.vocab = 301;
  compare({c, DType::F32, 1e-4});
  compare({c, DType::BF16, 2e-2});
}

// F16 weights stay F16 and are multiplied with FP32 rows; only K and V are rounded, to F16.
TEST(Logits, F16StaysF16) {
  compare({transformer_test::small_config(Family::Qwen3, false, 8, 4), DType::F16, 1e-3});
}

// Whatever the weights are, keys and values of more bits bring the logits nearer to the reference.
TEST(Logits, AWiderCacheIsNearer) {
  for (const DType weights : {DType::BF16, DType::F16, DType::F32}) {
    const TemporaryDirectory d;
    const Checkpoint model = transformer_test::made(
        d, {transformer_test::small_config(Family::Qwen3, false, 8, 4), weights, 7});
    const Ids text = some_tokens(150, model.config.vocab);
    Reference::Sequence sequence;
    const std::vector<Vector> expected = Reference(model).run(sequence, text);
    std::vector<double> distances;
    for (const DType cache : {DType::BF16, DType::F16, DType::F32}) {
      EngineOptions options = small_options();
      options.cache = cache;
      Engine engine(model, options);
      const auto found = read_in_pieces(engine, engine.open_slot(), text, {48});
      Distance distance;
      for (std::size_t i = 0; i < text.size(); ++i) distance.add(found[i], expected[i]);
      distances.push_back(distance.all());
    }
    // BF16 weights are multiplied with rows of BF16, which hides what FP32 has beyond FP16.
    EXPECT_LT(distances[1], distances[0]) << dtype_name(weights);
    EXPECT_LT(distances[2], weights == DType::BF16 ? distances[0] : distances[1])
        << dtype_name(weights);
  }
}

// The pages and splits of engines in earnest: the prompt crosses the first split, and decoding too.
TEST(Logits, BeyondTheFirstSplit) {
  for (const DType type : {DType::F32, DType::BF16}) {
    ModelConfig config = transformer_test::small_config(Family::Qwen3, true, 4, 1);
    config.layers = 2;
    config.max_positions = 2048;
    const TemporaryDirectory d;
    const Checkpoint model = transformer_test::made(d, {config, type, 7});
    const EngineOptions options{.threads = 3, .context = 2048, .chunk = 300};
    Engine engine(model, options);
    const Ids text = some_tokens(options.split + 40, config.vocab);
    Reference::Sequence sequence;
    const std::vector<Vector> expected = Reference(model).run(sequence, text);
    const std::vector<Logits> found =
        read_in_pieces(engine, engine.open_slot(), text, {300, 300, 300, 110, 1});
    Distance beyond;
    for (auto i = static_cast<std::size_t>(options.split); i < text.size(); ++i)
      beyond.add(found[i], expected[i]);
    EXPECT_LT(beyond.all(), type == DType::F32 ? 1e-4 : 2e-2);
  }
}

}  // namespace
}  // namespace runtime_test
