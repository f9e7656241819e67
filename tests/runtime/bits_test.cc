// The logits of a token are the same to the bit however its text was cut into steps, whatever runs
// beside it, and for any number of threads.
#include <fmt/ranges.h>

#include "../seeds.h"
#include "support.h"
#include "tilewright/base/rng.h"
#include "tilewright/models/transformer/quantize.h"

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
  large.page = large.split = 64;
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

// ---- splits of attention ----

struct SplitModel {
  std::string name;
  DType type;
  const char* quantised;               // the type of a GGUF file, or none
  std::optional<DType> cache = {};  // where it is not what the weights suggest
};
void PrintTo(const SplitModel& m, std::ostream* out) { *out << m.name; }

const SplitModel kSplitModels[] = {{"BF16", DType::BF16, nullptr},
                                   {"F32", DType::F32, nullptr},
                                   {"F16", DType::F16, nullptr},
                                   {"Q8_0", DType::F32, "Q8_0"},
                                   {"Q4_K_M", DType::F32, "Q4_K_M"},
                                   {"BF16CacheF16", DType::BF16, nullptr, DType::F16},
                                   {"BF16CacheF32", DType::BF16, nullptr, DType::F32},
                                   {"F32CacheBF16", DType::F32, nullptr, DType::BF16},
                                   {"Q8_0CacheBF16", DType::F32, "Q8_0", DType::BF16}};

// Few KV heads, so that long contexts are cut into tasks for few threads already.
class SplitBits : public testing::TestWithParam<SplitModel> {
 protected:
  static constexpr int64_t kSplit = 32;

  SplitBits() : model_(GetParam().quantised ? quantised() : original()) {}

  static EngineOptions options(int threads, int64_t split = kSplit) {
    EngineOptions o = small_options(threads);
    o.split = split;
    o.cache = GetParam().cache;
    return o;
  }
  std::vector<Logits> read(const EngineOptions& o, const std::vector<std::size_t>& pieces,
                           int64_t count = 200) const {
    Engine engine(model_, o);
    return read_in_pieces(engine, engine.open_slot(), some_tokens(count, 400), pieces);
  }
  const Checkpoint& model() const { return model_; }

 private:
  Checkpoint original() const {
    ModelConfig c = transformer_test::small_config(Family::Qwen3, true, 4, 1);
    c.hidden = 256;
    c.intermediate = 256;
    c.head_dim = 64;
    return transformer_test::made(directory_, {c, GetParam().type, 3});
  }
  Checkpoint quantised() const {
    models::transformer::quantize(original().path, directory_ / "m.gguf",
                                  models::transformer::find_quantize_type(GetParam().quantised));
    return checkpoint::open_checkpoint(directory_ / "m.gguf");
  }

  TemporaryDirectory directory_;
  Checkpoint model_;
};
INSTANTIATE_TEST_SUITE_P(Models, SplitBits, testing::ValuesIn(kSplitModels),
                         [](const auto& info) { return info.param.name; });

// One thread goes through all splits in one task; several have tasks of splits. Rows come alone,
// in tiles that cross a split, and in chunks.
TEST_P(SplitBits, AreThoseOfOneThreadAndOneRow) {
  const auto expected = read(options(1), {1});
  for (const int threads : {1, 2, 3, 8})
    for (const std::vector<std::size_t>& pieces :
         {std::vector<std::size_t>{1}, {48}, {31, 1, 1, 31, 1, 48}, {33, 40, 48, 7}}) {
      if (threads == 1 && pieces.front() == 1) continue;
      EXPECT_EQ(read(options(threads), pieces), expected)
          << fmt::format("pieces of {} tokens, {} threads", pieces, threads);
    }
}

// Every table that adds in ascending k.
TEST_P(SplitBits, AreThoseOfEveryInstructionSet) {
  EngineOptions first = options(1);
  first.instructions = cpu::InstructionSet::exact();
  const auto expected = read(first, {48});
  for (const cpu::InstructionSet& instructions : cpu::InstructionSet::all()) {
    if (!instructions.adds_in_ascending_k()) continue;
    EngineOptions o = options(3);
    o.instructions = instructions;
    EXPECT_EQ(read(o, {47, 1}), expected) << instructions.name();
  }
}

// A row within the first split does not know that there are splits, whatever its tile does.
TEST_P(SplitBits, OfTheFirstSplitAreThoseWithoutSplits) {
  const auto whole = read(options(2, 256), {1}, 60);
  const auto cut = read(options(2), {20, 40}, 60);
  for (std::size_t i = 0; i < static_cast<std::size_t>(kSplit); ++i)
    EXPECT_EQ(cut[i], whole[i]) << "token " << i;
}

// Beside sequences whose tiles take room for partial results, and give it back.
TEST_P(SplitBits, AreTheSameBesideOtherSequences) {
  const Ids text = some_tokens(200, 400), noise = some_tokens(200, 400, 9);
  const auto expected = read(options(1), {1});
  Engine engine(model(), options(3));
  const int other = engine.open_slot(), slot = engine.open_slot();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = std::min<std::size_t>(at % 3 == 0 ? 1 : 23, text.size() - at);
    if (engine.length(other) + 25 > engine.context()) engine.truncate(other, 0);
    const auto from = static_cast<std::size_t>(engine.length(other));
    std::vector<Row> rows = rows_of(other, {noise.data() + from, at % 5 == 0 ? 25u : 1u}, false);
    for (const Row& row : rows_of(slot, {text.data() + at, count}, true)) rows.push_back(row);
    const auto logits = engine.step(rows);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(copied(logits[i + 1]), expected[at + i]) << "token " << at + i;
    at += count;
  }
}

}  // namespace
}  // namespace runtime_test
