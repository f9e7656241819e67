// The logits of a token are the same to the bit however its text was cut into steps, whatever runs
// beside it, and for any number of threads.
#include <fmt/ranges.h>

#include "../seeds.h"
#include "support.h"
#include "tilewright/base/rng.h"

namespace runtime_test {
namespace {

struct TextModel {
  TemporaryDirectory directory;
  Checkpoint checkpoint;
  explicit TextModel(DType type = DType::BF16,
                     const ModelConfig& config = transformer_test::small_config(Family::Qwen3, true,
                                                                                8, 4))
      : checkpoint(transformer_test::made(directory, {config, type, 3})) {}
  Ids text(int64_t count = 90, int64_t seed = 1) const {
    return some_tokens(count, checkpoint.config.vocab, seed);
  }
};

// With every instruction set.
class SameBits : public testing::TestWithParam<cpu::InstructionSet> {
 protected:
  static EngineOptions options(int threads = 2) {
    EngineOptions o = small_options(threads);
    o.instructions = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Tables, SameBits, testing::ValuesIn(instruction_sets()),
                         [](const auto& info) { return std::string(info.param.name()); });

std::vector<Logits> read(const TextModel& m, const EngineOptions& o,
                         const std::vector<std::size_t>& pieces) {
  Engine engine(m.checkpoint, o);
  return read_in_pieces(engine, engine.open_slot(), m.text(), pieces);
}

TEST_P(SameBits, ForAnyCutOfTheText) {
  for (const DType type : {DType::BF16, DType::F32}) {
    const TextModel m(type);
    const auto expected = read(m, options(), {1});
    EXPECT_EQ(read(m, options(), {48}), expected);
    EXPECT_EQ(read(m, options(), {15, 16, 17, 33}), expected);
    EXPECT_EQ(read(m, options(), {1, 2, 3, 5, 7, 11, 13}), expected);
  }
}

TEST_P(SameBits, ForRandomCutsAndThreads) {
  const TextModel m;
  const auto expected = read(m, options(1), {1});
  Rng rng(first_seed());
  for (int i = 0; i < 4; ++i) {
    std::vector<std::size_t> pieces(static_cast<std::size_t>(rng.integer(1, 12)));
    for (std::size_t& piece : pieces) piece = static_cast<std::size_t>(rng.integer(1, 49));
    const int threads = static_cast<int>(rng.integer(1, 6));
    EXPECT_EQ(read(m, options(threads), pieces), expected)
        << fmt::format("pieces of {} tokens, {} threads", pieces, threads);
  }
}

// Sizes of real models: several groups of k in a head, and more k in a row than products take at
// once.
TEST_P(SameBits, ForAnyCutWithLongRowsAndPages) {
  ModelConfig config = transformer_test::small_config(Family::Qwen3, true, 8, 4);
  config.hidden = 1088;
  config.head_dim = 64;
  const TextModel m(DType::BF16, config);
  EngineOptions large = options();
  large.page = 64;
  large.chunk = 90;
  const auto expected = read(m, large, {1});
  EXPECT_EQ(read(m, large, {90}), expected);
  EXPECT_EQ(read(m, large, {15, 16, 17, 33}), expected);
}

TEST_P(SameBits, ForAnyNumberOfThreads) {
  const TextModel m;
  const auto expected = read(m, options(1), {30});
  EXPECT_EQ(read(m, options(2), {30}), expected);
  EXPECT_EQ(read(m, options(5), {30}), expected);
}

TEST_P(SameBits, ForAnyLimitOnRowsAndSequences) {
  const TextModel m;
  const auto expected = read(m, options(), {40});
  EngineOptions other = options();
  other.chunk = 200;
  other.slots = 1;
  EXPECT_EQ(read(m, other, {90}), expected);
}

// Decoding beside prompts of other sequences, which begin and end meanwhile.
TEST_P(SameBits, BesideAnyOtherSequences) {
  const TextModel m;
  const Ids text = m.text();
  const auto expected = read(m, options(), {1});
  Engine engine(m.checkpoint, options());
  const int before = engine.open_slot();
  const int slot = engine.open_slot();
  const int after = engine.open_slot();
  const Ids noise = m.text(500, 9);
  std::size_t said = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::vector<Row> rows;
    const auto add_noise = [&](int s, std::size_t count) {
      if (engine.length(s) + static_cast<int64_t>(count) > engine.context()) engine.truncate(s, 0);
      for (std::size_t n = 0; n < count; ++n) rows.push_back({s, noise[said++ % 500], n == 0});
    };
    add_noise(before, i % 4);
    const std::size_t at = static_cast<std::size_t>(i % 4 > 0);
    rows.push_back({slot, text[i], true});
    add_noise(after, i % 19);
    EXPECT_EQ(copied(engine.step(rows)[at]), expected[i]) << "token " << i;
  }
}

// What a slot held before leaves no trace.
TEST_P(SameBits, InASlotThatWasUsedBefore) {
  const TextModel m;
  const auto expected = read(m, options(), {20});
  Engine engine(m.checkpoint, options());
  const int used = engine.open_slot();
  read_in_pieces(engine, used, m.text(150, 5), {48});
  engine.close_slot(used);
  const int slot = engine.open_slot();
  EXPECT_EQ(slot, used);
  EXPECT_EQ(read_in_pieces(engine, slot, m.text(), {20}), expected);
  engine.truncate(slot, 33);
  const Ids text = m.text();
  const auto again = read_in_pieces(engine, slot, {text.begin() + 33, text.end()}, {20});
  EXPECT_EQ(again, std::vector<Logits>(expected.begin() + 33, expected.end()));
}

}  // namespace
}  // namespace runtime_test
