// A unit that is worth its while for many rows is used for many rows only.
#include <gtest/gtest.h>

#include "tilewright/cpu/simd/bytes.h"
#include "tilewright/cpu/simd/encoded.h"

namespace tilewright::cpu::simd {
namespace {

int used = 0;  // 1: vectors, 2: the unit

TEST(ManyRows, UseTheUnitIfThereIsOne) {
  Kernels k = plain_kernels();
  k.multiply_encoded = [](const EncodedProduct&) { used = 1; };
  k.multiply_bytes = [](const ByteProduct&) { used = 1; };
  const auto encoded = [&](int64_t rows) {
    multiply_encoded(k, EncodedProduct{.rows = rows});
    return used;
  };
  const auto bytes = [&](int64_t rows) {
    multiply_bytes(k, ByteProduct{.rows = rows});
    return used;
  };
  EXPECT_EQ(encoded(100), 1);
  EXPECT_EQ(bytes(100), 1);
  k.multiply_encoded_rows = [](const EncodedProduct&) { used = 2; };
  k.multiply_byte_rows = [](const ByteProduct&) { used = 2; };
  EXPECT_EQ(encoded(kManyRows), 2);
  EXPECT_EQ(bytes(kManyRows), 2);
  EXPECT_EQ(encoded(kManyRows - 1), 1);
  EXPECT_EQ(bytes(kManyRows - 1), 1);
}

}  // namespace
}  // namespace tilewright::cpu::simd
