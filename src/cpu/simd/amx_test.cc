// Products by AMX, to the bit: its order of sums is written down here once more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tilewright/base/dtype.h"
#include "tilewright/base/rng.h"
#include "tilewright/cpu/bind/panels.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/start_check.h"

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

// One product, and every way to make it. Rows of everything lie `gap` numbers apart.
class Case {
 public:
  Case(const Kernels& amx, int64_t m, int64_t k, int64_t n, int64_t gap)
      : amx_(amx),
        m_(m),
        k_(k),
        n_(n),
        gap_(gap),
        a_(random_numbers(rng_, m * k)),
        b_(random_numbers(rng_, n * k)),
        start_(random_numbers(rng_, m * n)),
        columns_(static_cast<std::size_t>(n * (k + gap)), kNoNumber),
        rows_(static_cast<std::size_t>(k * (n + gap)), kNoNumber),
        left_(static_cast<std::size_t>(m * (k + kGroupK))) {
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const uint16_t x = bf16_from_f32(b_[static_cast<std::size_t>(j * k + i)]);
        columns_[static_cast<std::size_t>(j * (k + gap) + i)] = x;
        rows_[static_cast<std::size_t>(i * (n + gap) + j)] = x;
      }
    // In two parts, as a long left operand is packed.
    const Bits a = narrow(a_);
    const int64_t part = k / 2;
    amx_.pack_left_bf16(a.data(), k, 0, part, {left_.data(), m, k});
    amx_.pack_left_bf16(a.data() + part, k, part, k - part, {left_.data(), m, k});
  }

  void run() const {
    expect("rows", [&](const Product& p) {
      Stream stream;
      amx_.multiply_rows_bf16(p, rows_.data(), n_ + gap_, stream);
    });
    expect("transposed", [&](const Product& p) {
      Stream stream{reinterpret_cast<const std::byte*>(columns_.data()), k_ * 2};
      amx_.multiply_transposed_bf16(p, columns_.data(), k_ + gap_, stream);
    });
    for (const std::size_t reduced : {0u, 1u}) {
      const PackedArg how{true, reduced, Panels::Pairs};
      const Shape shape = reduced == 0 ? Shape{k_, n_} : Shape{n_, k_};
      HostArray weight(DType::BF16, shape);
      for (int64_t i = 0; i < k_; ++i)
        for (int64_t j = 0; j < n_; ++j)
          weight.set(reduced == 0 ? i * n_ + j : j * k_ + i,
                     static_cast<double>(b_[static_cast<std::size_t>(j * k_ + i)]));
      Bits panels(static_cast<std::size_t>(packed_bytes(shape, how) / 2), kNoNumber);
      pack_panels(weight, how, 0, panel_count(shape, how),
                  reinterpret_cast<std::byte*>(panels.data()));
      expect("panels", [&](const Product& p) {
        amx_.multiply_panels(p, panels.data(), panel_stride(shape, how), panels.data());
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
    const auto result = [&](const Numbers& start, bool fresh) {
      Numbers wide(static_cast<std::size_t>(m_ * (n_ + gap_)), 7.0f);
      for (int64_t i = 0; i < m_; ++i)
        std::copy_n(start.data() + i * n_, n_, wide.data() + i * (n_ + gap_));
      multiply(Product{left_.data(), m_, k_, n_, wide.data(), n_ + gap_, true, fresh});
      Numbers c(start.size());
      for (int64_t i = 0; i < m_; ++i) {
        std::copy_n(wide.data() + i * (n_ + gap_), n_, c.data() + i * n_);
        for (int64_t j = n_; j < n_ + gap_; ++j)
          EXPECT_EQ(wide[static_cast<std::size_t>(i * (n_ + gap_) + j)], 7.0f) << what;
      }
      return c;
    };
    const Numbers nothing(start_.size(), std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(result(start_, false), expected_) << what;
    EXPECT_EQ(result(nothing, true), expected_fresh_) << "fresh " << what;
  }

  const Kernels& amx_;
  static constexpr uint16_t kNoNumber = 0xFFFF;  // what nobody may read
  int64_t m_, k_, n_, gap_;
  Rng rng_{1};
  Numbers a_, b_, start_;  // b column after column
  Bits columns_, rows_;
  Numbers left_;
  // Made once for all ways: they are what takes the time of this test.
  const Numbers expected_ = sums(start_);
  const Numbers expected_fresh_ = sums(Numbers(start_.size()));
};

// AMX, and its model; either may be missing.
std::vector<const Kernels*> amx_tables() {
  std::vector<const Kernels*> tables;
  if (amx_kernels()) tables.push_back(amx_kernels());
  for (const Kernels* model : modelled_kernels())
    if (!model->ascending) tables.push_back(model);
  return tables;
}

// Rows around one, two and three tiles, and more than are worked on at once; columns and k with
// remainders; several chunks of each. The model is slow: it takes every third.
TEST(Amx, AddsInItsOrder) {
  if (amx_tables().empty()) GTEST_SKIP() << "this machine has neither AMX nor AVX-512";
  int count = 0;
  for (const int64_t m : {1, 2, 7, 16, 17, 32, 40, 97, 161})
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{1, 1},
                               {32, 16},
                               {9, 31},
                               {64, 33},
                               {96, 100},
                               {128, 300},
                               {163, 200},
                               {320, 48},
                               {1100, 40}})
      for (const int64_t gap : {0, 3, 8}) {
        ++count;
        for (const Kernels* amx : amx_tables()) {
          const bool slow = amx != amx_kernels() && m * k * n > 100000;
          if (slow && (count / 3 + count) % 3 != 0) continue;
          SCOPED_TRACE(fmt::format("{}: {} x {} x {}, gaps of {}", amx->name, m, k, n, gap));
          Case(*amx, m, k, n, gap).run();
          if (testing::Test::HasFailure()) return;
        }
      }
}

TEST(Amx, TakesSubnormalNumbersForZero) {
  if (amx_tables().empty()) GTEST_SKIP() << "this machine has neither AMX nor AVX-512";
  for (const Kernels* amx : amx_tables()) {
    const Bits a(kGroupK, bf16_from_f32(1e30f));
    const Bits b(kGroupK, bf16_from_f32(1e-39f));
    std::array<float, 2 * kGroupK> left{};
    amx->pack_left_bf16(a.data(), kGroupK, 0, kGroupK, {left.data(), 1, kGroupK});
    float sum = 3;
    Stream stream;
    amx->multiply_transposed_bf16({left.data(), 1, kGroupK, 1, &sum, 1, true}, b.data(), kGroupK,
                                  stream);
    EXPECT_EQ(sum, 3) << amx->name;
  }
}

TEST(Amx, ItsCheckAtStartFindsAnotherOrder) {
  if (amx_tables().empty()) GTEST_SKIP() << "this machine has neither AMX nor AVX-512";
  const Kernels& amx = *amx_tables().front();
  for (const Kernels* other : amx_tables()) EXPECT_TRUE(multiplies_bf16_as(amx, *other));
  EXPECT_FALSE(multiplies_bf16_as(amx, plain_kernels()));
}

// What golden is compared with, and FP32.
TEST(Amx, IsNotAmongTheTablesOfOneOrder) {
  for (const Kernels* k : vector_kernels()) EXPECT_TRUE(k->ascending) << k->name;
  if (amx_kernels()) {
    EXPECT_FALSE(amx_kernels()->ascending);
    EXPECT_EQ(amx_kernels()->without_unit->panels, Panels::Rows);
  }
}

}  // namespace
}  // namespace tilewright::cpu::simd
