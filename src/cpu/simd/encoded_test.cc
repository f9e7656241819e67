// Products with encoded weights: every table computes the bits of the plain one, and the plain one
// the rule of docs/meaning.md.
#include "tilewright/cpu/simd/encoded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tilewright/base/rng.h"
#include "tilewright/cpu/bind/encoded_panels.h"
#include "tilewright/cpu/simd/all_kernels.h"

namespace tilewright::cpu::simd {
namespace {

constexpr DType kTypes[] = {DType::Q4_0,   DType::Q4_1,   DType::Q5_0, DType::Q5_1, DType::Q8_0,
                            DType::Q2_K,   DType::Q3_K,   DType::Q4_K, DType::Q5_K, DType::Q6_K,
                            DType::IQ4_NL, DType::IQ4_XS, DType::MXFP4};

// Blocks of random bytes with scales that are numbers, or of one byte.
HostArray random_weights(DType t, int64_t cols, int64_t depth, int byte = -1) {
  HostArray w(t, {cols, depth});
  Rng rng(7);
  for (int64_t i = 0; i < w.byte_size(); ++i)
    w.data()[i] = static_cast<std::byte>(byte < 0 ? rng.next() >> 13 : static_cast<uint64_t>(byte));
  for (int64_t at = 0; at < w.byte_size(); at += block_bytes(t))
    set_block_scale(t, w.data() + at, 0.5f);
  return w;
}

struct EncodedPanels {
  std::vector<std::byte> bytes;
  int64_t stride;

  explicit EncodedPanels(const HostArray& w) {
    const PanelLayout& l = panel_layout(w.dtype());
    const int64_t count = (w.shape()[0] + kPanel - 1) / kPanel;
    stride = w.shape()[1] / l.block * l.bytes;
    bytes.resize(static_cast<std::size_t>(count * stride + 64));
    pack_encoded_panels(w, 0, count, bytes.data());
  }
};

std::vector<QuantisedChunk> quantised(const Kernels& k, const std::vector<float>& x, int64_t rows,
                                      int64_t depth) {
  std::vector<QuantisedChunk> chunks(static_cast<std::size_t>(chunk_count(depth) * rows));
  for (int64_t at = 0; at < depth; at += kLeftChunk)
    k.quantise_rows(x.data() + at, depth, rows, std::min(kLeftChunk, depth - at),
                    chunks.data() + at / kLeftChunk * rows);
  return chunks;
}

std::vector<float> product(const Kernels& k, const std::vector<float>& x, const HostArray& w,
                           const EncodedPanels& panels, int64_t rows) {
  const int64_t cols = w.shape()[0], depth = w.shape()[1];
  const auto chunks = quantised(k, x, rows, depth);
  std::vector<float> c(static_cast<std::size_t>(rows * (cols + 3)), 0.25f);
  k.multiply_encoded({chunks.data(), rows, depth, &panel_layout(w.dtype()), panels.bytes.data(),
                      panels.stride, cols, c.data(), cols + 3});
  return c;
}

std::vector<float> random_rows(int64_t n) {
  Rng rng(11);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) v = static_cast<float>(rng.next() % 20001) / 10000.0f - 1.0f;
  return x;
}

class EncodedTables : public testing::TestWithParam<DType> {};

TEST_P(EncodedTables, ComputeTheSameBits) {
  const DType t = GetParam();
  const int64_t block = block_elements(t);
  for (const int64_t depth : {block, 3 * block, 256 + block})
    for (const int64_t cols : {1, 32, 75}) {
      const HostArray w = random_weights(t, cols, depth);
      const EncodedPanels panels(w);
      for (const int64_t rows : {1, 2, 3, 4, 5, 9, 70}) {
        const std::vector<float> x = random_rows(rows * depth);
        const std::vector<float> expected = product(plain_kernels(), x, w, panels, rows);
        for (const Kernels* k : all_kernels())
          ASSERT_EQ(product(*k, x, w, panels, rows), expected)
              << k->name << ", " << rows << " x " << depth << " x " << cols;
      }
    }
}

// All codes of weights and rows at their extremes: 16-bit sums that saturated would be wrong.
TEST_P(EncodedTables, NeverSaturate) {
  const DType t = GetParam();
  const int64_t depth = 2 * kLeftChunk;
  for (const int byte : {0x00, 0x80, 0xFF, 0x7F, 0x88, 0x11}) {
    const HostArray w = random_weights(t, 32, depth, byte);
    const EncodedPanels panels(w);
    for (const float sign : {1.0f, -1.0f}) {
      const std::vector<float> x(static_cast<std::size_t>(depth), sign);
      const std::vector<float> expected = product(plain_kernels(), x, w, panels, 1);
      for (const Kernels* k : all_kernels())
        ASSERT_EQ(product(*k, x, w, panels, 1), expected) << k->name << ", byte " << byte;
    }
  }
}

// Near the product of the decoded weights, by the half step of a left code.
TEST_P(EncodedTables, AreNearTheDecodedWeights) {
  const DType t = GetParam();
  const int64_t depth = 512, cols = 40, rows = 3;
  const HostArray w = random_weights(t, cols, depth);
  const std::vector<float> x = random_rows(rows * depth);
  const auto c = product(*vector_kernels().back(), x, w, EncodedPanels(w), rows);
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < cols; ++n) {
      double exact = 0.25, bound = 1e-4;
      for (int64_t k = 0; k < depth; ++k) {
        exact += x[static_cast<std::size_t>(m * depth + k)] * w.at(n * depth + k);
        bound += std::fabs(w.at(n * depth + k)) / 254;
      }
      EXPECT_NEAR(c[static_cast<std::size_t>(m * (cols + 3) + n)], exact, bound);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, EncodedTables, testing::ValuesIn(kTypes),
                         [](const auto& i) { return std::string(dtype_name(i.param)); });

TEST(QuantisedRows, AreTheSameInEveryTable) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x = random_rows(kLeftChunk);
  for (std::size_t i = 0; i < 32; ++i) {
    x[i] *= 1e30f;
    x[32 + i] = 0x1p-140f * static_cast<float>(i);  // too small for a reciprocal
    x[64 + i] = i == 9 ? inf : 1.0f;
    x[96 + i] = i == 3 ? std::nanf("") : 1.0f;
    x[128 + i] = static_cast<float>(i) - 15.5f;  // codes half way between two
    x[160 + i] = 0;
  }
  const auto expected = quantised(plain_kernels(), x, 1, kLeftChunk);
  EXPECT_EQ(expected[0].scales[1], 0.0f);
  EXPECT_TRUE(std::isnan(expected[0].scales[2]) && std::isnan(expected[0].scales[3]));
  for (const Kernels* k : all_kernels()) {
    const auto chunks = quantised(*k, x, 1, kLeftChunk);
    for (int i = 0; i < kLeftChunk; ++i)
      ASSERT_EQ(chunks[0].codes[i], expected[0].codes[i]) << k->name << " " << i;
    for (int i = 0; i < 8; ++i)
      ASSERT_TRUE(chunks[0].scales[i] == expected[0].scales[i] ||
                  (std::isnan(chunks[0].scales[i]) && std::isnan(expected[0].scales[i])));
    for (int i = 0; i < 16; ++i) ASSERT_EQ(chunks[0].sums[i], expected[0].sums[i]);
  }
}

TEST(PanelLayout, TakesHardlyMoreThanTheFile) {
  for (const DType t : {DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q5_K, DType::Q6_K})
    EXPECT_LE(static_cast<double>(panel_layout(t).bytes),
              1.03 * static_cast<double>(kPanel * block_bytes(t)))
        << dtype_name(t);
}

}  // namespace
}  // namespace tilewright::cpu::simd
