// GGUF files that are written here, read by the reader.
#include "tilewright/checkpoint/gguf_writer.h"

#include <numeric>

#include "support.h"
#include "tilewright/checkpoint/mapped_file.h"

namespace checkpoint_test {
namespace {

std::vector<std::byte> counting(std::size_t n) {
  std::vector<std::byte> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::byte>(i);
  return out;
}

GgufKeys some_keys() {
  GgufKeys keys;
  keys.u32("a", 7);
  keys.f32("b", 0.5f);
  keys.boolean("c", true);
  keys.string("d", "text");
  keys.strings("e", {"x", "", "yz"});
  keys.i32s("f", {-1, 5});
  keys.f32s("g", {1.5f, -2.5f});
  keys.u32("a", 8);  // again: the last value counts, in the first place
  return keys;
}

TEST(GgufWriter, KeysAndTensorsAreReadBack) {
  for (const uint64_t alignment : {32, 64}) {
    const Directory d;
    GgufKeys keys = some_keys();
    if (alignment != 32) keys.u32("general.alignment", static_cast<uint32_t>(alignment));
    GgufWriter writer(d / "m.gguf", keys,
                      {{"odd", DType::F32, {3}},
                       {"blocks", DType::Q4_0, {2, 64}},
                       {"last", DType::BF16, {5, 1}}},
                      alignment);
    const auto odd = counting(12), blocks = counting(72), last = counting(10);
    writer.write(odd);
    writer.write(std::span(blocks).first(30));
    writer.write(std::span(blocks).subspan(30));
    writer.write(last);
    writer.close();
    EXPECT_EQ(fs::file_size(d.path / "m.gguf"), writer.file_bytes());
    const MappedFile mapped(d / "m.gguf");
    const GgufFile file = read_gguf(mapped.bytes(), "m.gguf");
    EXPECT_EQ(file.values[0].first, "a");
    EXPECT_EQ(file.find("a")->integer(), 8);
    EXPECT_EQ(file.find("b")->number(), 0.5);
    EXPECT_EQ(file.find("c")->integer(), 1);
    EXPECT_EQ(file.find("d")->string(), "text");
    EXPECT_EQ(file.find("e")->strings(), (std::vector<std::string_view>{"x", "", "yz"}));
    EXPECT_EQ(file.find("f")->numbers(), (std::vector<double>{-1, 5}));
    EXPECT_EQ(file.find("g")->numbers(), (std::vector<double>{1.5, -2.5}));
    ASSERT_EQ(file.tensors.size(), 3u);
    EXPECT_EQ(file.tensors[1].name, "blocks");
    EXPECT_EQ(file.tensors[1].type, DType::Q4_0);
    EXPECT_EQ(file.tensors[1].shape, (Shape{2, 64}));
    EXPECT_TRUE(std::ranges::equal(file.tensors[0].bytes, odd));
    EXPECT_TRUE(std::ranges::equal(file.tensors[1].bytes, blocks));
    EXPECT_TRUE(std::ranges::equal(file.tensors[2].bytes, last));
  }
}

TEST(GgufWriter, CopiedKeysAreTheSameBytes) {
  const Directory d;
  GgufWriter(d / "a.gguf", some_keys(), {}).close();
  const MappedFile mapped(d / "a.gguf");
  GgufKeys copied;
  for (const auto& [key, value] : read_gguf(mapped.bytes(), "a.gguf").values)
    copied.copy(key, value);
  EXPECT_EQ(copied.encoded(), some_keys().encoded());
}

ModelConfig through_keys(const ModelConfig& c) {
  const Directory d;
  GgufKeys keys;
  set_model_keys(keys, c);
  GgufWriter(d / "m.gguf", keys, {}).close();
  const MappedFile mapped(d / "m.gguf");
  return config_from_gguf(read_gguf(mapped.bytes(), "m.gguf"), "m.gguf");
}

TEST(GgufWriter, TheKeysOfAModelGiveItsConfiguration) {
  const ModelConfig c = small_config(Family::Llama, true);
  const ModelConfig read = through_keys(c);
  EXPECT_EQ(read.family, c.family);
  EXPECT_EQ(read.hidden, c.hidden);
  EXPECT_EQ(read.layers, c.layers);
  EXPECT_EQ(read.heads, c.heads);
  EXPECT_EQ(read.kv_heads, c.kv_heads);
  EXPECT_EQ(read.head_dim, c.head_dim);
  EXPECT_EQ(read.intermediate, c.intermediate);
  EXPECT_EQ(read.vocab, c.vocab);
  EXPECT_EQ(static_cast<float>(read.rms_norm_eps), static_cast<float>(c.rms_norm_eps));
  EXPECT_EQ(read.max_positions, c.max_positions);
  EXPECT_EQ(read.rope_theta, c.rope_theta);
}

TEST(GgufWriter, TheKeysOfExpertsAndOfScaledRope) {
  ModelConfig c = small_config(Family::Qwen3Moe, true);
  EXPECT_EQ(through_keys(c).family, Family::Qwen3Moe);
  EXPECT_EQ(through_keys(c).experts, 3);
  EXPECT_EQ(through_keys(c).experts_per_token, 2);
  EXPECT_EQ(through_keys(c).intermediate, c.intermediate);
  c.rope = {.type = RopeScaling::Type::Linear, .factor = 2};
  EXPECT_EQ(through_keys(c).rope, c.rope);
  c.rope = {.type = RopeScaling::Type::Yarn, .factor = 4, .original_positions = 32, .beta_fast = 8};
  EXPECT_EQ(through_keys(c).rope, c.rope);
  EXPECT_EQ(through_keys(c).max_positions, 128);
  c.rope.attention_factor = 1.5;
  EXPECT_NEAR(through_keys(c).rope.attention_factor.value_or(0), 1.5, 1e-7);
}

// A factor without a type means linear; an older name of the key is read too.
TEST(GgufWriter, OlderKeysOfLinearRope) {
  for (const char* key : {"llama.rope.scaling.factor", "llama.rope.scale_linear"}) {
    GgufBuilder b;
    add_model_keys(b, small_config(Family::Llama, true));
    b.u32("llama.vocab_size", 10);
    b.f32(key, 4);
    const std::string file = b.file();
    const ModelConfig c = config_from_gguf(read_gguf(as_bytes(file), "m.gguf"), "m.gguf");
    EXPECT_EQ(c.rope, (RopeScaling{.type = RopeScaling::Type::Linear, .factor = 4})) << key;
  }
}

std::string rope_error(const std::function<void(GgufBuilder&)>& add) {
  GgufBuilder b;
  add_model_keys(b, small_config(Family::Llama, true));
  b.u32("llama.vocab_size", 10);
  add(b);
  const std::string file = b.file();
  return error_of([&] { config_from_gguf(read_gguf(as_bytes(file), "m.gguf"), "m.gguf"); });
}

TEST(GgufWriter, DivisorsOfRope) {
  const auto floats = [](std::vector<float> v) {
    std::string out;
    for (const float f : v) GgufBuilder::put(out, f);
    return out;
  };
  EXPECT_EQ(rope_error([&](GgufBuilder& b) {
              b.tensor("rope_freqs.weight", {2}, 0, floats({1, 8}));
            }),
            "");
  EXPECT_TRUE(rope_error([&](GgufBuilder& b) {
                b.tensor("rope_freqs.weight", {3}, 0, floats({1, 8, 8}));
              }).starts_with("error: tensor rope_freqs.weight [3] is not F32 [2]\n"));
  EXPECT_TRUE(rope_error([&](GgufBuilder& b) {
                b.tensor("rope_freqs.weight", {2}, 0, floats({1, 0}));
              }).starts_with("error: tensor rope_freqs.weight divides a frequency by 0\n"));
  EXPECT_TRUE(rope_error([&](GgufBuilder& b) {
                b.tensor("rope_freqs.weight", {2}, 0, floats({1, 8}));
                b.f32("llama.rope.scaling.factor", 2);
              }).starts_with("error: RoPE scaling \"linear\" together with tensor"));
  EXPECT_TRUE(rope_error([&](GgufBuilder& b) {
                b.string("llama.rope.scaling.type", "longrope");
              }).starts_with("error: RoPE scaling \"longrope\" is not supported\n"));
  EXPECT_TRUE(rope_error([&](GgufBuilder& b) {
                b.u32("llama.attention.sliding_window", 32);
              }).starts_with("error: a sliding window of 32 positions is not supported\n"));
}

// Reading undoes what writing does to the rows of q and k.
TEST(GgufWriter, InterleavedRowsAreReadInOrder) {
  TensorView t{"q", DType::F32, {16, 1}, {}, 8};
  std::vector<float> rows(16);
  for (int64_t r = 0; r < 16; ++r)
    rows[static_cast<std::size_t>(r)] = static_cast<float>(source_row(r, 8));
  t.bytes = std::as_bytes(std::span(rows));
  for (int64_t r = 0; r < 16; ++r) {
    float v = -1;
    read_row(t, r, {&v, 1});
    EXPECT_EQ(v, static_cast<float>(r));
    EXPECT_EQ(source_row(r, 0), r);
  }
}

TEST(GgufWriter, AFileThatCannotBeMade) {
  EXPECT_TRUE(error_of([] {
                GgufWriter("/nonexistent/m.gguf", {}, {});
              }).starts_with("error: cannot write /nonexistent/m.gguf: No such file"));
  EXPECT_TRUE(
      error_of([] {
        GgufWriter("/tmp/tilewright-huge.gguf", {}, {{"t", DType::F32, {int64_t{1} << 50, 16}}});
      }).starts_with("error: /tmp/tilewright-huge.gguf needs "));
}

}  // namespace
}  // namespace checkpoint_test
