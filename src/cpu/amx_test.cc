// Products by AMX, to the bit: its order of sums is written down here once more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "tilewright/base/dtype.h"
#include "tilewright/base/rng.h"
#include "tilewright/cpu/panels.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {
namespace {

using Numbers = std::vector<float>;
using Bits = std::vector<uint16_t>;

// Of each 32 k the even ones from zero, the odd ones from zero, then both together.
float added(float sum, const float* a, const float* b, int64_t depth) {
  for (int64_t group = 0; group < depth; group += kGroupK) {
    std::array<float, 2> parts{};
    for (int64_t k = group; k < std::min(depth, group + kGroupK); ++k) {
      float& part = parts[static_cast<std::size_t>(k % 2)];
      part = std::fma(a[k], b[k], part);
    }
    sum += parts[0] + parts[1];
  }
  return sum;
}

Numbers random_numbers(Rng& rng, int64_t count) {
  Numbers x(static_cast<std::size_t>(count));
  for (float& v : x)
    v = f32_from_bf16(bf16_from_f32(static_cast<float>((rng.uniform() - 0.5) * 4)));
  return x;
}

Bits narrow(const Numbers& x) {
  Bits bits;
  for (const float v : x) bits.push_back(bf16_from_f32(v));
  return bits;
}

// One product, and every way to make it.
class Case {
 public:
  Case(int64_t m, int64_t k, int64_t n)
      : m_(m),
        k_(k),
        n_(n),
        a_(random_numbers(rng_, m * k)),
        b_(random_numbers(rng_, n * k)),
        start_(random_numbers(rng_, m * n)),
        columns_(narrow(b_)),
        rows_(columns_.size()),
        left_(static_cast<std::size_t>(m * (k + kGroupK))) {
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j)
        rows_[static_cast<std::size_t>(i * n + j)] = columns_[static_cast<std::size_t>(j * k + i)];
    // In two parts, as a long left operand is packed.
    const Bits a = narrow(a_);
    const int64_t part = k / 2;
    amx_.pack_left_bf16(a.data(), k, 0, part, {left_.data(), m, k});
    amx_.pack_left_bf16(a.data() + part, k, part, k - part, {left_.data(), m, k});
  }

  void run() const {
    expect("rows", [&](const Product& p) {
      Stream stream;
      amx_.multiply_rows_bf16(p, rows_.data(), n_, stream);
    });
    expect("transposed", [&](const Product& p) {
      Stream stream{reinterpret_cast<const std::byte*>(columns_.data()), k_ * 2};
      amx_.multiply_transposed_bf16(p, columns_.data(), k_, stream);
    });
    for (const std::size_t reduced : {0u, 1u}) {
      const PackedArg how{true, reduced, Panels::Pairs};
      const Shape shape = reduced == 0 ? Shape{k_, n_} : Shape{n_, k_};
      HostArray weight(DType::BF16, shape);
      std::ranges::copy(reduced == 0 ? rows_ : columns_, weight.as<uint16_t>().begin());
      Bits panels(static_cast<std::size_t>(packed_elements(shape, how)), 0xFFFF);
      pack_panels(weight, how, 0, panel_count(shape, how), panels.data());
      expect("panels", [&](const Product& p) {
        amx_.multiply_panels(p, panels.data(), panel_elements(shape, how), panels.data());
      });
    }
  }

 private:
  Numbers sums(const Numbers& start) const {
    Numbers out = start;
    for (int64_t i = 0; i < m_; ++i)
      for (int64_t j = 0; j < n_; ++j) {
        float& sum = out[static_cast<std::size_t>(i * n_ + j)];
        sum = added(sum, a_.data() + i * k_, b_.data() + j * k_, k_);
      }
    return out;
  }
  // Added to what is there, and to nothing, when what is there must not matter.
  template <class Multiply>
  void expect(const char* what, const Multiply& multiply) const {
    const auto result = [&](Numbers c, bool fresh) {
      multiply(Product{left_.data(), m_, k_, n_, c.data(), n_, fresh});
      return c;
    };
    const Numbers nothing(start_.size(), std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(result(start_, false), sums(start_)) << what;
    EXPECT_EQ(result(nothing, true), sums(Numbers(start_.size()))) << "fresh " << what;
  }

  const Kernels& amx_ = *amx_kernels();
  int64_t m_, k_, n_;
  Rng rng_{1};
  Numbers a_, b_, start_;  // b column after column
  Bits columns_, rows_;
  Numbers left_;
};

// Rows around one, two and three tiles, also more tiles of them than groups of k; columns and k
// with remainders; several chunks of k.
TEST(Amx, AddsInItsOrder) {
  if (!amx_kernels()) GTEST_SKIP() << "this machine has no AMX";
  for (const int64_t m : {1, 2, 7, 16, 17, 32, 40, 97})
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{1, 1},
                               {32, 16},
                               {9, 31},
                               {64, 33},
                               {96, 100},
                               {163, 200},
                               {320, 48},
                               {1100, 40}}) {
      SCOPED_TRACE(fmt::format("{} x {} x {}", m, k, n));
      Case(m, k, n).run();
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Amx, IsTheFastestWhereThereIsOne) {
  if (std::getenv("TILEWRIGHT_SIMD")) GTEST_SKIP() << "TILEWRIGHT_SIMD chooses";
  EXPECT_EQ(best_kernels().panels, Panels::Rows);
  EXPECT_EQ(&fastest_kernels(), amx_kernels() ? amx_kernels() : &best_kernels());
}

}  // namespace
}  // namespace tilewright::cpu::simd
