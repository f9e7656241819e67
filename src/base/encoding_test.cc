// Every encoded type against its definition, element by element, in double precision.
#include "tilewright/base/encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tilewright/base/array.h"

namespace tilewright {
namespace {

using Block = std::vector<uint8_t>;

double half(const Block& b, int at) {
  return f32_from_f16(static_cast<uint16_t>(b[at] | b[at + 1] << 8));
}
int lo(int byte) { return byte & 15; }
int hi(int byte) { return byte >> 4; }
int nibble(const Block& b, int at, int j) { return j < 16 ? lo(b[at + j]) : hi(b[at + j - 16]); }
int bit(const Block& b, int at, int j) { return b[at + j / 8] >> (j % 8) & 1; }

const int kTable[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
const double kFour[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

double q2_k(const Block& b, int i) {
  const int a = i / 128, r = i / 32 % 4, c = i / 16 % 2, l = i % 16;
  const int bits = b[16 + 32 * a + 16 * c + l] >> 2 * r & 3;
  const int g = b[8 * a + 2 * r + c];
  return half(b, 80) * lo(g) * bits - half(b, 82) * hi(g);
}
double q3_k(const Block& b, int i) {
  const int a = i / 128, r = i / 32 % 4, c = i / 16 % 2, l = i % 16;
  const int bits = b[32 + 32 * a + 16 * c + l] >> 2 * r & 3;
  const bool third = b[16 * c + l] >> (4 * a + r) & 1;
  const int number = 8 * a + 2 * r + c;
  const int low = number < 8 ? lo(b[96 + number]) : hi(b[96 + number - 8]);
  const int scale = low + (b[96 + 8 + number % 4] >> 2 * (number / 4) & 3) * 16;
  return half(b, 108) * (scale - 32) * (bits - (third ? 0 : 4));
}
double k_value(const Block& b, int part, int code) {
  const uint8_t* s = b.data() + 4;
  int sc = 0, mn = 0;
  if (part < 4) {
    sc = s[part] & 63;
    mn = s[part + 4] & 63;
  } else {
    sc = lo(s[part + 4]) | s[part - 4] >> 6 << 4;
    mn = hi(s[part + 4]) | s[part] >> 6 << 4;
  }
  return half(b, 0) * sc * code - half(b, 2) * mn;
}
double q4_k(const Block& b, int i) {
  const int byte = b[16 + 32 * (i / 64) + i % 32];
  return k_value(b, i / 32, i % 64 < 32 ? lo(byte) : hi(byte));
}
double q5_k(const Block& b, int i) {
  const int byte = b[48 + 32 * (i / 64) + i % 32];
  const int fifth = b[16 + i % 32] >> (i / 32) & 1;
  return k_value(b, i / 32, (i % 64 < 32 ? lo(byte) : hi(byte)) + 16 * fifth);
}
double q6_k(const Block& b, int i) {
  const int a = i / 128, r = i / 32 % 4, l = i % 32;
  const int byte = b[64 * a + 32 * (r % 2) + l];
  const int six = (r < 2 ? lo(byte) : hi(byte)) + (b[128 + 32 * a + l] >> 2 * r & 3) * 16;
  return half(b, 208) * static_cast<int8_t>(b[192 + 8 * a + 2 * r + l / 16]) * (six - 32);
}
double iq4_xs(const Block& b, int i) {
  const int k = i / 32, j = i % 32;
  const int sh = b[2] | b[3] << 8;
  const int ls = (b[4 + k / 2] >> 4 * (k % 2) & 15) | (sh >> 2 * k & 3) << 4;
  return half(b, 0) * (ls - 32) * kTable[nibble(b, 8 + 16 * k, j)];
}
double mxfp4(const Block& b, int j) {
  const int n = nibble(b, 1, j);
  return (n < 8 ? 1 : -1) * kFour[n % 8] * std::ldexp(1.0, b[0] - 127);
}

struct Case {
  DType type;
  std::function<double(const Block&, int)> value;
  std::vector<int> halves;  // where F16 numbers are: random bits could be infinite there
};

std::vector<Case> cases() {
  return {
      {DType::Q4_0, [](const Block& b, int j) { return half(b, 0) * (nibble(b, 2, j) - 8); }, {0}},
      {DType::Q4_1,
       [](const Block& b, int j) { return half(b, 0) * nibble(b, 4, j) + half(b, 2); },
       {0, 2}},
      {DType::Q5_0,
       [](const Block& b, int j) {
         return half(b, 0) * (nibble(b, 6, j) + 16 * bit(b, 2, j) - 16);
       },
       {0}},
      {DType::Q5_1,
       [](const Block& b, int j) {
         return half(b, 0) * (nibble(b, 8, j) + 16 * bit(b, 4, j)) + half(b, 2);
       },
       {0, 2}},
      {DType::Q8_0,
       [](const Block& b, int j) { return half(b, 0) * static_cast<int8_t>(b[2 + j]); },
       {0}},
      {DType::Q2_K, q2_k, {80, 82}},
      {DType::Q3_K, q3_k, {108}},
      {DType::Q4_K, q4_k, {0, 2}},
      {DType::Q5_K, q5_k, {0, 2}},
      {DType::Q6_K, q6_k, {208}},
      {DType::IQ4_NL,
       [](const Block& b, int j) { return half(b, 0) * kTable[nibble(b, 2, j)]; },
       {0}},
      {DType::IQ4_XS, iq4_xs, {0}},
      {DType::MXFP4, mxfp4, {}},
  };
}

class Encoding : public testing::TestWithParam<Case> {};

TEST_P(Encoding, EqualsItsDefinitionRoundedOnce) {
  const Case& c = GetParam();
  std::mt19937 random(1);
  const auto elements = block_elements(c.type);
  for (int round = 0; round < 200; ++round) {
    Block block(static_cast<std::size_t>(block_bytes(c.type)));
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(random());
    for (const int at : c.halves) block[at + 1] &= 0xBF;  // an exponent that is finite
    if (c.type == DType::MXFP4) block[0] = static_cast<uint8_t>(1 + random() % 250);
    std::vector<float> values(static_cast<std::size_t>(elements));
    decode_values(c.type, reinterpret_cast<const std::byte*>(block.data()), values);
    HostArray array(c.type, {1, elements});
    std::memcpy(array.data(), block.data(), block.size());
    for (int i = 0; i < elements; ++i) {
      const auto expected = static_cast<float>(c.value(block, i));
      ASSERT_EQ(values[static_cast<std::size_t>(i)], expected) << "element " << i;
      ASSERT_EQ(array.at(i), expected);
    }
  }
}

TEST_P(Encoding, RandomBlocksReachTheValueAskedFor) {
  const DType t = GetParam().type;
  std::mt19937 random(2);
  float highest = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> block(static_cast<std::size_t>(block_bytes(t)));
    for (std::byte& byte : block) byte = static_cast<std::byte>(random());
    set_block_scale(t, block.data(), 0.5f);
    std::vector<float> values(static_cast<std::size_t>(block_elements(t)));
    decode_values(t, block.data(), values);
    for (const float v : values) highest = std::max(highest, std::fabs(v));
  }
  EXPECT_GT(highest, 0.2f);
  EXPECT_LE(highest, 1.01f);
}

TEST_P(Encoding, AnArrayHasTheBytesOfItsBlocks) {
  const DType t = GetParam().type;
  EXPECT_TRUE(is_encoded(t));
  EXPECT_TRUE(is_storable(t));
  EXPECT_FALSE(is_float(t) || is_integer(t));
  EXPECT_EQ(HostArray(t, {3, 512}).byte_size(), 3 * 512 / block_elements(t) * block_bytes(t));
}

INSTANTIATE_TEST_SUITE_P(Types, Encoding, testing::ValuesIn(cases()),
                         [](const auto& i) { return std::string(dtype_name(i.param.type)); });

TEST(EncodingOfMxfp4, TheLastExponentIsNotANumber) {
  Block block(17, 0);
  block[0] = 255;
  std::vector<float> values(32);
  decode_values(DType::MXFP4, reinterpret_cast<const std::byte*>(block.data()), values);
  EXPECT_TRUE(std::isnan(values[5]));
}

}  // namespace
}  // namespace tilewright
