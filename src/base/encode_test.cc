// Encoders against their formats: what a type can hold comes back exactly, everything else within
// the step of the format, never worse than plain rounding.
#include "tilewright/base/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tilewright/base/encoding.h"

namespace tilewright {
namespace {

using Values = std::vector<float>;

constexpr DType kTypes[] = {DType::Q4_0,   DType::Q4_1,   DType::Q5_0, DType::Q5_1, DType::Q8_0,
                            DType::Q2_K,   DType::Q3_K,   DType::Q4_K, DType::Q5_K, DType::Q6_K,
                            DType::IQ4_NL, DType::IQ4_XS, DType::MXFP4};

class Encode : public testing::TestWithParam<DType> {};

Values there_and_back(DType t, const Values& x) {
  std::vector<std::byte> blocks(
      static_cast<std::size_t>(bytes_of(t, static_cast<int64_t>(x.size()))));
  EXPECT_FALSE(encode_values(t, x, blocks.data()));
  Values out(x.size());
  decode_values(t, blocks.data(), out);
  return out;
}

double squared_error(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - b[i], 2);
  return sum;
}

// Normal values, or with tails that reach twenty deviations.
Values drawn(std::size_t n, float deviation, bool heavy, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Values out(n);
  for (float& v : out) v = deviation * normal(random) * (heavy ? std::exp(normal(random)) : 1.0f);
  return out;
}

TEST_P(Encode, FieldsAreWrittenAsTheyAreRead) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::byte> block(static_cast<std::size_t>(block_bytes(GetParam())));
    for (std::byte& b : block) b = static_cast<std::byte>(random());
    BlockFields fields;
    read_fields(GetParam(), block.data(), fields);
    std::vector<std::byte> written(block.size(), std::byte{0xAA});
    write_fields(GetParam(), fields, written.data());
    ASSERT_EQ(written, block);
  }
}

// Codes and scales that use their whole range: the search starts from the ends.
BlockFields full_range(DType t, std::mt19937& random) {
  const Encoding& e = encoding_of(t);
  BlockFields f;
  const auto part = static_cast<std::size_t>(e.part);
  const auto elements = static_cast<std::size_t>(block_elements(t));
  const int levels = 1 << e.bits;
  for (std::size_t i = 0; i < elements; ++i)
    f.stored[i] = static_cast<uint8_t>(random() % static_cast<unsigned>(levels));
  const auto end = [&](std::size_t i, int code) { f.stored[i] = static_cast<uint8_t>(code); };
  for (std::size_t at = 0; at < elements; at += part) {
    end(at, t == DType::Q8_0 ? 128 : t == DType::MXFP4 ? 7 : 0);
    end(at + 1, t == DType::Q8_0 ? 127 : levels - 1);
  }
  f.scale = t == DType::MXFP4 ? static_cast<uint16_t>(100 + random() % 40)
                              : f16_from_f32(0.01f * static_cast<float>(1 + random() % 100));
  f.minimum = e.minima ? f16_from_f32(0.02f * static_cast<float>(1 + random() % 100)) : 0;
  f.part_scales.fill(1);
  f.part_minima.fill(1);
  if (!e.part_scales) return f;
  const int most = t == DType::Q2_K ? 15 : e.minima ? 63 : t == DType::Q6_K ? 127 : 31;
  for (std::size_t p = 0; p < elements / part; ++p) {
    f.part_scales[p] = static_cast<int8_t>(1 + random() % static_cast<unsigned>(most));
    f.part_minima[p] = static_cast<int8_t>(random() % static_cast<unsigned>(most + 1));
  }
  f.part_scales[3] = static_cast<int8_t>(e.minima ? most : -most - 1);
  f.part_minima[5] = static_cast<int8_t>(most);
  return f;
}

// Values with minima need codes at both ends; a part whose values are all positive has no minimum
// in these types, so that only its error is bounded.
TEST_P(Encode, RepresentableValuesComeBackExactly) {
  const DType t = GetParam();
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    const BlockFields f = full_range(t, random);
    std::vector<std::byte> block(static_cast<std::size_t>(block_bytes(t)));
    write_fields(t, f, block.data());
    Values x(static_cast<std::size_t>(block_elements(t)));
    decode_values(t, block.data(), x);
    ASSERT_EQ(there_and_back(t, x), x) << "round " << round;
  }
}

// The step of the format: the range of a part by the number of its steps. A rounded value is off by
// half a step at most; scales of few bits cost less than the search and the mean gain.
TEST_P(Encode, ErrorsStayWithinHalfAStep) {
  const DType t = GetParam();
  if (encoding_of(t).table) return;  // no steps; compared with plain rounding below
  const auto n = static_cast<std::size_t>(block_elements(t));
  const auto part = static_cast<std::size_t>(encoding_of(t).part);
  for (uint32_t seed = 1; seed < 40; ++seed) {
    const Values x = drawn(n, 0.02f, seed % 2 == 0, seed);
    double bound = 0;
    const int steps = (1 << encoding_of(t).bits) - 1;
    for (std::size_t at = 0; at < n; at += part) {
      float low = 0, high = 0;
      for (std::size_t i = at; i < at + part; ++i) {
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
      }
      const float range = encoding_of(t).minima ? high - low : 2 * std::max(high, -low);
      bound += static_cast<double>(part) * std::pow(range / static_cast<float>(steps) / 2, 2);
    }
    EXPECT_LE(squared_error(x, there_and_back(t, x)), bound) << "seed " << seed;
  }
}

// The value of largest magnitude gets the outermost code, everything else is rounded.
Values plainly_rounded(DType t, const Values& x) {
  const Encoding& e = encoding_of(t);
  Values out(x.size());
  for (std::size_t at = 0; at < x.size(); at += 32) {
    float low = x[at], high = x[at], most = x[at];
    for (std::size_t i = at; i < at + 32; ++i) {
      low = std::min(low, x[i]);
      high = std::max(high, x[i]);
      if (std::fabs(x[i]) > std::fabs(most)) most = x[i];
    }
    const auto steps = static_cast<float>((1 << e.bits) - 1);
    const float outer = e.table ? e.table[0] : static_cast<float>(-(1 << (e.bits - 1)));
    const float scale = round_to(DType::F16, e.minima ? (high - low) / steps : most / outer);
    const float minimum = e.minima ? round_to(DType::F16, low) : 0;
    for (std::size_t i = at; i < at + 32; ++i) {
      const float v = (x[i] - minimum) / scale;
      float code =
          std::clamp(std::round(v), e.minima ? 0.0f : outer, e.minima ? steps : -outer - 1);
      if (e.table)
        code = *std::min_element(e.table, e.table + 16, [&](int a, int b) {
          return std::fabs(static_cast<float>(a) - v) < std::fabs(static_cast<float>(b) - v);
        });
      out[i] = scale * code + minimum;
    }
  }
  return out;
}

TEST_P(Encode, IsNeverWorseThanPlainRounding) {
  const DType t = GetParam();
  // Types of 256 against plain rounding in blocks of 32 with as many bits or fewer.
  const DType plain = t == DType::Q4_K     ? DType::Q4_1
                      : t == DType::Q5_K   ? DType::Q5_1
                      : t == DType::Q6_K   ? DType::Q5_1
                      : t == DType::IQ4_XS ? DType::IQ4_NL
                                           : t;
  if (t == DType::Q2_K || t == DType::Q3_K || t == DType::MXFP4) return;  // nothing to compare with
  // Six bits for the scale of a part cost up to 2 %, which the search need not win back.
  const double allowed = t == DType::IQ4_XS ? 1.02 : 0.999;
  for (const bool heavy : {false, true})
    for (uint32_t seed = 1; seed < 20; ++seed) {
      const Values x = drawn(1024, 0.02f, heavy, seed);
      EXPECT_LE(squared_error(x, there_and_back(t, x)),
                squared_error(x, plainly_rounded(plain, x)) * allowed)
          << "seed " << seed << (heavy ? ", heavy tails" : "");
    }
}

TEST_P(Encode, ZerosConstantsAndTinyValues) {
  const DType t = GetParam();
  EXPECT_EQ(there_and_back(t, Values(256, 0.0f)), Values(256, 0.0f));
  for (const float v : {0.3f, -0.3f, 65504.0f, -65504.0f, 1e-4f}) {
    const Values back = there_and_back(t, Values(256, v));
    // One code is enough for all of them: what is left is the rounding of scales. MXFP4 has powers
    // of two only.
    const float allowed = t == DType::MXFP4 ? 0.2f : 0.02f;
    for (const float b : back) ASSERT_NEAR(b, v, std::fabs(v) * allowed + 3e-8f);
  }
  // Below half of the smallest F16 nothing but zero is near; subnormals of FP32 divide to infinity.
  for (const float v : {1e-9f, 1e-30f, 1e-40f, std::numeric_limits<float>::denorm_min()})
    for (const float b : there_and_back(t, Values(256, v))) ASSERT_NEAR(b, v, 2 * v);
  // Scales that are F16 subnormals: 2^-24 apart.
  const Values small = drawn(256, 2e-6f, false);
  EXPECT_LE(squared_error(small, there_and_back(t, small)), squared_error(small, Values(256)));
}

TEST_P(Encode, OneLargeValueAmongSmallOnes) {
  Values x = drawn(256, 1e-3f, false);
  x[17] = 60000;
  const Values back = there_and_back(GetParam(), x);
  for (const float b : back) ASSERT_TRUE(std::isfinite(b));
  EXPECT_NEAR(back[17], 60000, GetParam() == DType::MXFP4 ? 12000 : 600);
}

TEST_P(Encode, ValuesThatNoBlockHoldsAreNamed) {
  for (const float v : {std::numeric_limits<float>::quiet_NaN(), 65505.0f, -1e30f,
                        std::numeric_limits<float>::infinity()}) {
    Values x(512, 1.0f);
    x[300] = v;
    std::vector<std::byte> out(static_cast<std::size_t>(bytes_of(GetParam(), 512)), std::byte{7});
    const auto untouched = out;
    EXPECT_EQ(encode_values(GetParam(), x, out.data()), std::optional<std::size_t>(300));
    EXPECT_EQ(out, untouched);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Encode, testing::ValuesIn(kTypes),
                         [](const auto& i) { return std::string(dtype_name(i.param)); });

}  // namespace
}  // namespace tilewright
