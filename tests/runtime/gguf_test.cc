// GGUF files through the engine: what the same weights give from a directory.
#include "../transformer/gguf_writer.h"
#include "support.h"
#include "tilewright/models/transformer/quantize.h"

namespace runtime_test {
namespace {

struct Both {
  TemporaryDirectory directory;
  Checkpoint original, gguf;

  Both(Family family, DType in_directory, DType in_file)
      : original(
            transformer_test::made(directory, {transformer_test::small_config(family, false, 4, 2),
                                               in_directory})),
        gguf(written(in_file)) {}

 private:
  Checkpoint written(DType type) const {
    const std::string path = directory / "model.gguf";
    transformer_test::write_gguf(original, type, path);
    return checkpoint::open_checkpoint(path);
  }
};

std::vector<Logits> logits_of(const Checkpoint& model, const Ids& text) {
  Engine engine(model, small_options());
  return read_in_pieces(engine, engine.open_slot(), text, {48, 1});
}

// Llama files keep rows of q and k in another order, which must not show.
TEST(Gguf, TheSameWeightsGiveTheSameBits) {
  const Ids text = some_tokens(60, 400);
  for (const Family family : {Family::Qwen3, Family::Llama, Family::Qwen2, Family::Mistral})
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
      const Both both(family, type, type);
      EXPECT_EQ(logits_of(both.gguf, text), logits_of(both.original, text)) << family_name(family);
    }
}

// `quantize` writes the divisors of llama3, which are F32 there.
TEST(Gguf, ScaledRopeIsWritten) {
  using Type = checkpoint::RopeScaling::Type;
  const Ids text = some_tokens(60, 400);
  for (const checkpoint::RopeScaling& rope :
       {checkpoint::RopeScaling{.type = Type::Llama3, .factor = 8, .original_positions = 32},
        checkpoint::RopeScaling{.type = Type::Linear, .factor = 4},
        checkpoint::RopeScaling{.type = Type::Yarn, .factor = 4, .original_positions = 32}}) {
    const TemporaryDirectory d;
    const auto config = transformer_test::small_config(Family::Llama, false, 4, 2);
    const Checkpoint original =
        transformer_test::made(d, {transformer_test::scaled(config, rope), DType::F32});
    models::transformer::quantize(original.path, d / "m.gguf",
                                  models::transformer::find_quantize_type("F32"));
    const Checkpoint written = checkpoint::open_checkpoint(d / "m.gguf");
    EXPECT_EQ(written.config.rope.type, rope.type == Type::Llama3 ? Type::Divisors : rope.type);
    const auto found = logits_of(written, text), expected = logits_of(original, text);
    Distance distance;
    for (std::size_t i = 0; i < found.size(); ++i)
      distance.add(found[i], {expected[i].begin(), expected[i].end()});
    EXPECT_LT(distance.worst(), 1e-4);
  }
}

// A model whose rows consist of blocks of 256.
ModelConfig blocks_config(Family family) {
  ModelConfig c = transformer_test::small_config(family, false, 4, 2);
  c.hidden = 256;
  c.head_dim = 64;
  c.intermediate = 512;
  return c;
}

Checkpoint encoded_model(const TemporaryDirectory& d, Family family,
                         const transformer_test::TypeOf& type_of) {
  const Checkpoint original = transformer_test::made(d, {blocks_config(family), DType::F32});
  transformer_test::write_gguf(original, type_of, d / "model.gguf");
  return checkpoint::open_checkpoint(d / "model.gguf");
}

constexpr DType kEncoded[] = {DType::Q4_0,   DType::Q4_1,   DType::Q5_0, DType::Q5_1, DType::Q8_0,
                              DType::Q2_K,   DType::Q3_K,   DType::Q4_K, DType::Q5_K, DType::Q6_K,
                              DType::IQ4_NL, DType::IQ4_XS, DType::MXFP4};

// What a Q4_K_M file has.
DType mixed(const std::string& name) {
  const bool more = name.ends_with("attn_v.weight") || name.ends_with("ffn_down.weight");
  if (name == "output.weight" || (more && !name.starts_with("blk.1."))) return DType::Q6_K;
  return DType::Q4_K;
}

double distance_to_reference(const Checkpoint& model) {
  const Ids text = some_tokens(60, 400);
  Reference::Sequence sequence;
  const std::vector<Vector> expected = Reference(model).run(sequence, text);
  const std::vector<Logits> found = logits_of(model, text);
  Distance distance;
  for (std::size_t i = 0; i < text.size(); ++i) distance.add(found[i], expected[i]);
  return distance.all();
}

// The reference computes with the decoded weights in double precision. What differs is the left
// rows in 8 bits and the caches in BF16: a code is off by a quarter of a step on average, 0.6 % of
// a normally distributed row, and the 22 products of these models add up to about 3 %.
constexpr double kEncodedDistance = 4e-2;

TEST(Gguf, EncodedWeightsFollowTheReference) {
  for (const Family family : {Family::Qwen3, Family::Llama})
    for (const DType type : kEncoded) {
      const TemporaryDirectory d;
      EXPECT_LT(distance_to_reference(encoded_model(d, family, [&](const auto&) { return type; })),
                kEncodedDistance)
          << family_name(family) << " " << checkpoint::stored_type_name(type);
    }
}

TEST(Gguf, MixedFilesFollowTheReference) {
  const TemporaryDirectory d;
  EXPECT_LT(distance_to_reference(encoded_model(d, Family::Qwen3, mixed)), kEncodedDistance);
}

// The weights of a model, quantised: the engine stays as near to the reference of the file.
TEST(Gguf, QuantisedModelsFollowTheReference) {
  for (const Family family : {Family::Qwen3, Family::Llama, Family::Qwen2}) {
    const TemporaryDirectory d;
    const Checkpoint original = transformer_test::made(d, {blocks_config(family), DType::F32});
    for (const char* type : {"Q8_0", "Q4_K_M", "Q5_K_M", "Q3_K", "Q4_0", "IQ4_NL"}) {
      models::transformer::quantize(original.path, d / "m.gguf",
                                    models::transformer::find_quantize_type(type));
      EXPECT_LT(distance_to_reference(checkpoint::open_checkpoint(d / "m.gguf")), kEncodedDistance)
          << family_name(family) << " " << type;
    }
  }
}

// Integer sums have no order, so that bits depend on nothing but the numbers.
TEST(Gguf, EncodedWeightsGiveTheSameBitsEverywhere) {
  const TemporaryDirectory d;
  const Checkpoint model = encoded_model(d, Family::Qwen3, mixed);
  const Ids text = some_tokens(60, 400);
  const std::vector<Logits> expected = logits_of(model, text);
  for (const cpu::InstructionSet& instructions : cpu::InstructionSet::all())
    for (const int threads : {1, 3}) {
      EngineOptions o = small_options();
      o.instructions = instructions;
      o.threads = threads;
      Engine engine(model, o);
      EXPECT_EQ(read_in_pieces(engine, engine.open_slot(), text, {17, 1, 30}), expected)
          << instructions.name() << ", " << threads << " threads";
    }
}

}  // namespace
}  // namespace runtime_test
