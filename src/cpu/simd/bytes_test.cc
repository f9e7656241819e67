// Products of bytes: every table computes the bits of the plain one, and the plain one the sum over
// k of products, modulo 2^32.
#include "tilewright/cpu/simd/bytes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tilewright/base/rng.h"
#include "tilewright/cpu/bind/byte_panels.h"
#include "tilewright/cpu/simd/all_kernels.h"

namespace tilewright::cpu::simd {
namespace {

// Random bytes, or all of one value: -128 by -128 is the largest product.
std::vector<int8_t> some_bytes(int64_t n, uint64_t seed, int value = 1000) {
  Rng rng(seed);
  std::vector<int8_t> out(static_cast<std::size_t>(n));
  for (int8_t& b : out)
    b = static_cast<int8_t>(value < 1000 ? value : static_cast<int>(rng.next() >> 17));
  return out;
}

struct ByteCase {
  int64_t rows, depth, cols;
  int left = 1000, right = 1000;
};

struct ByteOperands {
  std::vector<int8_t> left, right, panels;
  int64_t depth, panel_stride;

  explicit ByteOperands(const ByteCase& c)
      : left(some_bytes(c.rows * c.depth, 3, c.left)),
        right(some_bytes(c.depth * c.cols, 4, c.right)),
        depth(c.depth),
        panel_stride(whole_groups(c.depth) * kPanel) {
    const int64_t count = (c.cols + kPanel - 1) / kPanel;
    panels.resize(static_cast<std::size_t>(count * panel_stride));
    pack_byte_panels({right.data(), c.depth, c.cols, c.cols, 1}, 0, count, panels.data());
  }
};

constexpr uint32_t kBefore = 0xFFFFFF00u;  // sums go on from here, and wrap

std::vector<uint32_t> byte_product(const Kernels& k, const ByteCase& c, const ByteOperands& o) {
  std::vector<uint32_t> sums(static_cast<std::size_t>(c.rows * (c.cols + 3)), kBefore);
  k.multiply_bytes({o.left.data(), c.depth, c.rows, c.depth, o.panels.data(), o.panel_stride,
                    c.cols, sums.data(), c.cols + 3});
  return sums;
}

const std::vector<ByteCase> kByteCases = {{1, 4, 1},
                                          {1, 64, 32},
                                          {3, 36, 33},
                                          {8, 512, 64},
                                          {13, 1028, 70},
                                          {70, 100, 96},
                                          {16, 2052, 32},
                                          {9, 516, 40, -128, -128},
                                          {8, 64, 32, -128, 127},
                                          {5, 64, 32, 127, -128}};

TEST(Bytes, PlainLoopsAddProducts) {
  for (const ByteCase& c : kByteCases) {
    const ByteOperands o(c);
    const std::vector<uint32_t> sums = byte_product(plain_kernels(), c, o);
    for (int64_t m = 0; m < c.rows; ++m)
      for (int64_t n = 0; n < c.cols + 3; ++n) {
        int64_t sum = 0;
        for (int64_t k = 0; n < c.cols && k < c.depth; ++k)
          sum += static_cast<int64_t>(o.left[static_cast<std::size_t>(m * c.depth + k)]) *
                 o.right[static_cast<std::size_t>(k * c.cols + n)];
        ASSERT_EQ(sums[static_cast<std::size_t>(m * (c.cols + 3) + n)],
                  kBefore + static_cast<uint32_t>(sum))
            << m << ", " << n;
      }
  }
}

TEST(Bytes, EveryTableComputesTheBitsOfThePlainOne) {
  for (const Kernels* table : all_kernels())
    for (const ByteCase& c : kByteCases) {
      const ByteOperands o(c);
      EXPECT_EQ(byte_product(*table, c, o), byte_product(plain_kernels(), c, o))
          << table->name << ": " << c.rows << " x " << c.depth << " x " << c.cols;
      EXPECT_TRUE(multiplies_bytes_as_plain(*table)) << table->name;
    }
}

TEST(Bytes, AColumnInARowOfItsOwnIsPackedTheSame) {
  const ByteCase c{1, 70, 45};
  const ByteOperands o(c);
  std::vector<int8_t> transposed(o.right.size());
  for (int64_t k = 0; k < c.depth; ++k)
    for (int64_t n = 0; n < c.cols; ++n)
      transposed[static_cast<std::size_t>(n * c.depth + k)] =
          o.right[static_cast<std::size_t>(k * c.cols + n)];
  std::vector<int8_t> panels(o.panels.size(), 1);
  pack_byte_panels({transposed.data(), c.depth, c.cols, 1, c.depth}, 0, 2, panels.data());
  EXPECT_EQ(panels, o.panels);
}

}  // namespace
}  // namespace tilewright::cpu::simd
