// GGUF files through the engine: what the same weights give from a directory.
#include "../transformer/gguf_writer.h"
#include "support.h"

namespace runtime_test {
namespace {

struct Both {
  TemporaryDirectory directory;
  Checkpoint original, gguf;

  Both(Family family, StoredType in_directory, StoredType in_file)
      : original(
            transformer_test::made(directory, {transformer_test::small_config(family, false, 4, 2),
                                               in_directory})),
        gguf(written(in_file)) {}

 private:
  Checkpoint written(StoredType type) const {
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
  for (const Family family : {Family::Qwen3, Family::Llama})
    for (const StoredType type : {StoredType::F32, StoredType::F16, StoredType::BF16}) {
      const Both both(family, type, type);
      EXPECT_EQ(logits_of(both.gguf, text), logits_of(both.original, text)) << family_name(family);
    }
}

// Quantised weights are rounded to BF16 once more; the reference reads them as they are.
TEST(Gguf, QuantisedWeightsFollowTheReference) {
  const Ids text = some_tokens(60, 400);
  for (const Family family : {Family::Qwen3, Family::Llama})
    for (const StoredType type : {StoredType::Q8_0, StoredType::Q4_0}) {
      const Both both(family, StoredType::F32, type);
      Reference::Sequence sequence;
      const std::vector<Vector> expected = Reference(both.gguf).run(sequence, text);
      const std::vector<Logits> found = logits_of(both.gguf, text);
      Distance distance;
      for (std::size_t i = 0; i < text.size(); ++i) distance.add(found[i], expected[i]);
      EXPECT_LT(distance.all(), 2e-2)
          << family_name(family) << " " << checkpoint::stored_type_name(type);
    }
}

}  // namespace
}  // namespace runtime_test
