// Every way a GGUF file can be wrong, and what is said.
#include "support.h"

namespace checkpoint_test {
namespace {

std::string gguf_error(const std::string& file) {
  return error_of([&] { read_gguf(as_bytes(file), "m.gguf"); });
}

bool starts(const std::string& text, const std::string& what) {
  return text.starts_with("error: " + what) && std::count(text.begin(), text.end(), '\n') == 4;
}

TEST(Gguf, ValuesAndTensors) {
  GgufBuilder b;
  b.string("name", "x");
  b.u32("n", 7);
  b.f32("f", 0.5f);
  b.strings("words", {"one", "", "three"});
  b.tensor("t", {3, 2}, 0, std::string(24, '\1'));
  b.tensor("q", {32}, 8, std::string(34, '\2'));
  const std::string file = b.file();
  const GgufFile g = read_gguf(as_bytes(file), "m");
  EXPECT_EQ(g.find("name")->string(), "x");
  EXPECT_EQ(g.find("n")->integer(), 7);
  EXPECT_EQ(g.find("n")->number(), 7.0);
  EXPECT_EQ(g.find("f")->number(), 0.5);
  EXPECT_EQ(g.find("f")->integer(), std::nullopt);
  EXPECT_EQ(g.find("words")->strings(), (std::vector<std::string_view>{"one", "", "three"}));
  EXPECT_EQ(g.find("none"), nullptr);
  ASSERT_EQ(g.tensors.size(), 2u);
  EXPECT_EQ(g.tensors[0].shape, (Shape{2, 3}));
  EXPECT_EQ(g.tensors[1].type, DType::Q8_0);
  EXPECT_EQ(g.tensors[1].bytes[0], std::byte{2});
}

TEST(Gguf, UnsupportedEncodingsAreNamed) {
  for (const auto& [number, name] : std::vector<std::pair<uint32_t, std::string>>{
           {9, "Q8_1"}, {15, "Q8_K"}, {16, "IQ2_XXS"}, {34, "TQ1_0"}, {99, "number 99"}}) {
    GgufBuilder b;
    b.tensor("blk.0.ffn_up.weight", {256}, number, "");
    const std::string text = gguf_error(b.file());
    EXPECT_TRUE(starts(text, "tensor blk.0.ffn_up.weight has the element type " + name)) << text;
  }
}

TEST(Gguf, HeadersThatLie) {
  GgufBuilder good;
  good.u32("n", 7);
  good.tensor("t", {4}, 0, std::string(16, 'x'));
  const std::string file = good.file();
  EXPECT_EQ(gguf_error(file), "");
  // Cut anywhere: never accepted, never read beyond the end.
  for (std::size_t cut = 0; cut < file.size(); ++cut)
    EXPECT_TRUE(gguf_error(file.substr(0, cut)).starts_with("error: ")) << cut;
  EXPECT_TRUE(starts(gguf_error("GGML" + file.substr(4)), "the file is not GGUF"));
  EXPECT_TRUE(starts(gguf_error(file + "x"), "17 bytes of data, but the tensors cover 16"));

  GgufBuilder b = good;
  b.version = 2;
  EXPECT_TRUE(starts(gguf_error(b.file()), "GGUF version 2 is not supported; only version 3 is"));
  b = good;
  b.claimed_values = uint64_t{1} << 60;
  EXPECT_TRUE(starts(gguf_error(b.file()), "1152921504606846977 values"));
  b = good;
  b.claimed_tensors = uint64_t{1} << 60;
  EXPECT_TRUE(starts(gguf_error(b.file()), "1152921504606846977 tensors"));
  b = good;
  b.offset_shift = 8;
  EXPECT_TRUE(starts(gguf_error(b.file()), "tensor t occupies bytes 8 to 24 of 16"));
  b = good;
  b.offset_shift = ~uint64_t{0};
  EXPECT_TRUE(starts(gguf_error(b.file()), "tensor t has an offset of 18446744073709551615"));
  b = good;
  b.u32("n", 8);
  EXPECT_TRUE(starts(gguf_error(b.file()), "key \"n\" is given twice"));
  b = good;
  b.u32("general.alignment", 3);
  EXPECT_TRUE(starts(gguf_error(b.file()), "general.alignment is not a power of two"));
}

TEST(Gguf, TensorsThatCannotBe) {
  const auto with = [](const std::vector<uint64_t>& dims, uint32_t type, const std::string& data) {
    GgufBuilder b;
    b.tensor("t", dims, type, data);
    return gguf_error(b.file());
  };
  EXPECT_TRUE(starts(with({33}, 8, std::string(34, 'x')), "tensor t [33] Q8_0 cannot be stored"));
  EXPECT_TRUE(starts(with({1ull << 40, 1ull << 40}, 0, ""), "tensor t [1099511627776 x"));
  EXPECT_TRUE(starts(with({~0ull}, 0, ""), "tensor t has a dimension of 18446744073709551615"));
  EXPECT_TRUE(starts(with({}, 0, ""), "tensor t has 0 dimensions"));
  EXPECT_TRUE(starts(with({1, 1, 1, 1, 1}, 0, ""), "tensor t has 5 dimensions"));
  GgufBuilder overlap;
  overlap.tensor("a", {8}, 0, std::string(32, 'x'));
  overlap.tensor("b", {8}, 0, std::string(32, 'x'));
  overlap.offset_shift = ~uint64_t{15};  // -16
  EXPECT_TRUE(starts(gguf_error(overlap.file()), "tensor b begins at byte 16, before the end of"));
}

}  // namespace
}  // namespace checkpoint_test
