// Products with encoded weights: near the exact product of the decoded weights, by a bound that
// follows from the quantisation of the left rows; and the rule itself, number by number.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tilewright/base/encoding.h"
#include "tilewright/golden/encoded_products.h"

namespace tilewright::golden {
namespace {

constexpr DType kTypes[] = {DType::Q4_0,   DType::Q4_1,   DType::Q5_0, DType::Q5_1, DType::Q8_0,
                            DType::Q2_K,   DType::Q3_K,   DType::Q4_K, DType::Q5_K, DType::Q6_K,
                            DType::IQ4_NL, DType::IQ4_XS, DType::MXFP4};

struct Weights {
  std::vector<EncodedElement> elements;
  std::vector<double> values;
};

Weights random_weights(DType t, int64_t rows, int64_t cols, std::mt19937& random) {
  Weights w;
  std::vector<std::byte> block(static_cast<std::size_t>(block_bytes(t)));
  const auto part = static_cast<std::size_t>(encoding_of(t).part);
  for (int64_t b = 0; b < rows * cols / block_elements(t); ++b) {
    for (std::byte& x : block) x = static_cast<std::byte>(random());
    set_block_scale(t, block.data(), 1.0f);
    DecodedBlock d;
    decode_block(t, block.data(), d);
    for (std::size_t i = 0; i < static_cast<std::size_t>(block_elements(t)); ++i) {
      w.elements.push_back({d.scales[i / part], d.minima[i / part], d.codes[i]});
      w.values.push_back(static_cast<double>(d.scales[i / part]) * d.codes[i] - d.minima[i / part]);
    }
  }
  return w;
}

class EncodedProduct : public testing::TestWithParam<DType> {};

TEST_P(EncodedProduct, IsAsNearAsTheQuantisedRowAllows) {
  constexpr int64_t kRows = 3, kCols = 5, kDepth = 512;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const Weights w = random_weights(GetParam(), kCols, kDepth, random);
  std::vector<float> x(kRows * kDepth), y(kRows * kCols, 0.0f);
  for (float& v : x) v = normal(random);
  add_encoded_products({kRows, kCols, kDepth, x.data(), kDepth, 1, GetParam(), w.elements.data(),
                        kDepth, y.data(), kCols});
  for (int64_t m = 0; m < kRows; ++m)
    for (int64_t n = 0; n < kCols; ++n) {
      double exact = 0, bound = 0, magnitude = 0;
      for (int64_t k = 0; k < kDepth; ++k) {
        const double weight = w.values[n * kDepth + k];
        float largest = 0;
        for (int64_t i = k / 32 * 32; i < k / 32 * 32 + 32; ++i)
          largest = std::max(largest, std::fabs(x[m * kDepth + i]));
        exact += x[m * kDepth + k] * weight;
        magnitude += std::fabs(x[m * kDepth + k] * weight);
        bound += largest / 254.0 * std::fabs(weight);
      }
      // Beyond the half step of a code: the roundings of the scales and of up to 64 sums.
      bound += magnitude * 0x1p-17;
      EXPECT_NEAR(y[m * kCols + n], exact, bound) << m << ' ' << n;
      EXPECT_NE(y[m * kCols + n], 0.0f);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, EncodedProduct, testing::ValuesIn(kTypes),
                         [](const auto& i) { return std::string(dtype_name(i.param)); });

// One row and one column of 32 elements with the same code and scale.
float product(const std::vector<float>& x, float scale, float minimum, int code, DType type,
              float sum = 0) {
  const std::vector<EncodedElement> w(x.size(), {scale, minimum, static_cast<int16_t>(code)});
  add_encoded_products(
      {1, 1, static_cast<int64_t>(x.size()), x.data(), 0, 1, type, w.data(), 0, &sum, 1});
  return sum;
}

TEST(EncodedRule, CodesAreRoundedToEven) {
  std::vector<float> x(32, 0.0f);
  x[0] = 127;
  x[1] = 2.5f;   // code 2
  x[2] = 3.5f;   // code 4
  x[3] = -2.5f;  // code -2
  EXPECT_EQ(product(x, 1, 0, 1, DType::Q8_0), 127 + 2 + 4 - 2);
}

TEST(EncodedRule, TheScaleIsTheLargestMagnitudeOf127Steps) {
  std::vector<float> x(32, 0.0f);
  x[5] = -0.3f;
  const float scale = 0.3f / 127.0f;
  EXPECT_EQ(product(x, 0.25f, 0, 100, DType::Q8_0), std::fma(-12700.0f, scale * 0.25f, 0.0f));
}

TEST(EncodedRule, TheMinimumIsTakenFromTheSumOfTheCodes) {
  std::vector<float> x(32, 0.7f);
  const float scale = 0.7f / 127.0f;
  const float first = std::fma(127.0f * 32 * 3, scale * 0.5f, 2.0f);
  EXPECT_EQ(product(x, 0.5f, 0.125f, 3, DType::Q4_K, 2.0f),
            std::fma(-0.125f, scale * (127.0f * 32), first));
}

TEST(EncodedRule, AZeroRowAddsNothing) {
  EXPECT_EQ(product(std::vector<float>(64, 0.0f), 1, 1, 7, DType::Q4_K, 5.0f), 5.0f);
}

TEST(EncodedRule, ARowTooSmallForAReciprocalIsZero) {
  EXPECT_EQ(product(std::vector<float>(32, 0x1p-149f), 1, 0, 7, DType::Q8_0), 0.0f);
  EXPECT_GT(product(std::vector<float>(32, 0x1p-120f), 1, 0, 7, DType::Q8_0), 0.0f);
}

TEST(EncodedRule, ANumberThatIsNotFiniteSpoilsTheSum) {
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    std::vector<float> x(64, 1.0f);
    x[40] = bad;
    EXPECT_TRUE(std::isnan(product(x, 1, 0, 7, DType::Q8_0)));
  }
}

}  // namespace
}  // namespace tilewright::golden
