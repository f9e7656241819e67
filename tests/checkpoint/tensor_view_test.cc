// Rows as numbers, from every stored type.
#include "tilewright/checkpoint/tensor_view.h"

#include <cmath>

#include "support.h"

namespace checkpoint_test {
namespace {

std::vector<float> row(const TensorView& t, int64_t r) {
  std::vector<float> out(static_cast<std::size_t>(t.cols()));
  read_row(t, r, out);
  return out;
}

TEST(TensorView, EveryHalfIsWidenedExactly) {
  for (const DType type : {DType::F16, DType::BF16}) {
    std::string data;
    for (uint32_t bits = 0; bits < 65536; ++bits)
      GgufBuilder::put(data, static_cast<uint16_t>(bits));
    const auto out = row({"t", type, {65536}, as_bytes(data)}, 0);
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const auto half = static_cast<uint16_t>(bits);
      const float expected = type == DType::F16 ? f32_from_f16(half) : f32_from_bf16(half);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(out[bits])) << bits;
      } else {
        ASSERT_EQ(out[bits], expected) << bits;
      }
    }
  }
}

TEST(TensorView, BlocksAreScaled) {
  std::string q8, q4;
  for (const float scale : {0.5f, -2.0f}) {  // two rows of one block
    GgufBuilder::put(q8, f16_from_f32(scale));
    for (int i = 0; i < 32; ++i) q8 += static_cast<char>(i * 8 - 128);
    GgufBuilder::put(q4, f16_from_f32(scale));
    for (int i = 0; i < 16; ++i) q4 += static_cast<char>(i | (15 - i) << 4);
  }
  const auto eight = row({"t", DType::Q8_0, {2, 32}, as_bytes(q8)}, 1);
  const auto four = row({"t", DType::Q4_0, {2, 32}, as_bytes(q4)}, 1);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(eight[static_cast<std::size_t>(i)], -2.0f * static_cast<float>(i * 8 - 128));
    const int q = i < 16 ? i : 31 - i;
    EXPECT_EQ(four[static_cast<std::size_t>(i)], -2.0f * static_cast<float>(q - 8));
  }
}

TEST(TensorView, Bf16RowsAreCopiedOrRounded) {
  std::string data;
  for (const float v : {1.0f, 1.00390625f, -3.14159f, 1e30f}) GgufBuilder::put(data, v);
  std::vector<uint16_t> out(4);
  read_row_bf16({"t", DType::F32, {4}, as_bytes(data)}, 0, out);
  for (std::size_t i = 0; i < 4; ++i) {
    float v = 0;
    std::memcpy(&v, data.data() + 4 * i, 4);
    EXPECT_EQ(out[i], bf16_from_f32(v));
  }
  std::vector<uint16_t> whole(8);
  read_row_bf16({"t", DType::BF16, {8}, as_bytes(data)}, 0, whole);
  EXPECT_EQ(std::memcmp(whole.data(), data.data(), 16), 0);
}

TEST(TensorView, InterleavedRowsAreReadByHalves) {
  std::string data;
  for (int i = 0; i < 8; ++i) GgufBuilder::put(data, static_cast<float>(i));  // two heads of 4 rows
  TensorView t{"q", DType::F32, {8, 1}, as_bytes(data)};
  t.interleaved_head_dim = 4;
  const std::vector<float> expected{0, 2, 1, 3, 4, 6, 5, 7};
  for (int64_t r = 0; r < 8; ++r) EXPECT_EQ(row(t, r)[0], expected[static_cast<std::size_t>(r)]);
}

}  // namespace
}  // namespace checkpoint_test
