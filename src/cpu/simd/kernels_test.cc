// Every table of kernels against the plain one, to the bit, and exp against double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "tilewright/base/dtype.h"
#include "tilewright/base/rng.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {
namespace {

// Numbers of every exponent and sign, with NaN and infinities among them.
std::vector<float> any_floats(int64_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) v = std::bit_cast<float>(static_cast<uint32_t>(rng.next()));
  return x;
}

uint32_t bits_of(float x) {
  return std::isnan(x) ? 0x7FC00000u : std::bit_cast<uint32_t>(x);  // which NaN is not promised
}

// Distance in representable numbers; equal infinities are 0 apart.
int64_t ulps(float a, float b) {
  const auto order = [](float x) {
    const auto i = std::bit_cast<int32_t>(x);
    return static_cast<int64_t>(i < 0 ? INT32_MIN - i : i);
  };
  return std::abs(order(a) - order(b));
}

TEST(Kernels, ThisMachineHasATableOfItsOwn) {
  EXPECT_EQ(vector_kernels().front(), &plain_kernels());
  for (const Kernels* k : vector_kernels()) EXPECT_FALSE(k->name.empty());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    EXPECT_NE(vector_kernels().back(), &plain_kernels());
  }
#endif
}

TEST(Kernels, ExpIsWithinTwoUlp) {
  std::vector<float> x;
  for (double v = -110; v < 92; v += 0.00013) x.push_back(static_cast<float>(v));
  for (const float v : any_floats(20000, 3)) x.push_back(v);
  const float inf = std::numeric_limits<float>::infinity();
  for (const float v :
       {0.0f, -0.0f, inf, -inf, 1e-40f, -1e-40f, 88.7228f, 88.7229f, -103.97f, -103.98f, -87.4f})
    x.push_back(v);
  std::vector<float> y(x.size());
  for (const Kernels* k : vector_kernels()) {
    k->unary[kExp](x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto exact = static_cast<float>(std::exp(static_cast<double>(x[i])));
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(y[i]));
      } else {
        ASSERT_LE(ulps(y[i], exact), 2) << k->name << " exp(" << x[i] << ") = " << y[i];
      }
    }
  }
}

TEST(Kernels, NarrowingRoundsToNearestEven) {
  std::vector<float> x = any_floats(50000, 5);
  for (uint32_t i = 0; i < 4096; ++i) x.push_back(std::bit_cast<float>(0x3F800000u + (i << 12)));
  for (uint32_t i = 0; i < 4096; ++i) x.push_back(std::bit_cast<float>(i << 12));  // subnormal
  std::vector<uint16_t> y(x.size());
  for (const Kernels* k : vector_kernels()) {
    k->narrow(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(f32_from_bf16(y[i]))) << k->name;
      } else {
        ASSERT_EQ(y[i], bf16_from_f32(x[i])) << k->name << " " << x[i];
      }
  }
}

TEST(Kernels, RowsAreTheSameInEveryTable) {
  const Kernels& plain = plain_kernels();
  for (const int64_t n : {1, 2, 7, 8, 15, 16, 17, 33, 64, 100, 1001}) {
    const auto size = static_cast<std::size_t>(n);
    const std::vector<float> a = any_floats(n, 1);
    const std::vector<float> b = any_floats(n, 2);
    std::vector<float> want(size), got(size);
    for (const Kernels* k : vector_kernels()) {
      const auto expect_same = [&](const std::string& what) {
        for (std::size_t i = 0; i < size; ++i)
          ASSERT_EQ(bits_of(got[i]), bits_of(want[i])) << k->name << " " << what << " " << i;
      };
      for (int op = 0; op < kBinaryCount; ++op)
        for (const auto& [sa, sb] : {std::pair{1, 1}, {1, 0}, {0, 1}, {0, 0}}) {
          plain.binary[op](a.data(), sa, b.data(), sb, want.data(), n);
          k->binary[op](a.data(), sa, b.data(), sb, got.data(), n);
          expect_same("binary " + std::to_string(op));
        }
      for (int op = 0; op < kUnaryCount; ++op) {
        plain.unary[op](a.data(), want.data(), n);
        k->unary[op](a.data(), got.data(), n);
        expect_same("unary " + std::to_string(op));
      }
      want = got = a;
      plain.mix_rows(want.data(), 0.3f, b.data(), -1.7f, n);
      k->mix_rows(got.data(), 0.3f, b.data(), -1.7f, n);
      expect_same("mix_rows");
      EXPECT_EQ(bits_of(k->row_sum(a.data(), n)), bits_of(plain.row_sum(a.data(), n)));
      EXPECT_EQ(bits_of(k->row_max(a.data(), n)), bits_of(plain.row_max(a.data(), n)));
      EXPECT_EQ(bits_of(k->row_min(b.data(), n)), bits_of(plain.row_min(b.data(), n)));
    }
  }
}

TEST(Kernels, SoftmaxIsTheSameInEveryTable) {
  const Kernels& plain = plain_kernels();
  for (const int64_t n : {1, 5, 15, 16, 17, 32, 33, 48, 64, 65, 96, 100, 256, 512}) {
    Rng rng(static_cast<uint64_t>(n));
    std::vector<float> x(static_cast<std::size_t>(n));
    // From 512 on, weights below the normal range and below all numbers.
    for (float& v : x) v = static_cast<float>((rng.uniform() - 0.5) * (n < 512 ? 60 : 2000));
    if (n == 32) std::ranges::fill(x, -0.0f);
    if (n == 33) x[32] = 0.0f;
    if (n == 33 || n == 48)
      for (std::size_t i = 0; i < 32; ++i) x[i] = n == 33 ? -0.0f : -1e30f;
    if (n == 65) x[64] = std::numeric_limits<float>::infinity();
    if (n == 96) x[40] = -std::numeric_limits<float>::infinity();
    if (n == 64) x[7] = std::numeric_limits<float>::infinity();
    if (n == 100) x[99] = std::numeric_limits<float>::quiet_NaN();
    const auto run = [&](const Kernels& t) {
      std::vector<float> buffer(x.size());
      std::vector<uint16_t> out(x.size());
      Stream stream;
      const SoftmaxSums sums =
          t.softmax_row(x.data(), 0.125f, n, buffer.data(), out.data(), stream);
      return std::tuple(out, std::bit_cast<uint32_t>(sums.max), std::bit_cast<uint32_t>(sums.sum));
    };
    for (const Kernels* t : vector_kernels()) EXPECT_EQ(run(*t), run(plain)) << t->name << ' ' << n;
  }
}

TEST(Kernels, EveryF16IsWidenedExactly) {
  std::vector<uint16_t> all(1u << 16);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  std::vector<float> wide(all.size());
  for (const Kernels* t : vector_kernels()) {
    t->widen_f16(all.data(), wide.data(), static_cast<int64_t>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(bits_of(wide[i]), bits_of(f32_from_f16(all[i]))) << t->name << ' ' << i;
  }
}

TEST(Kernels, NarrowingToF16IsTheSameInEveryTable) {
  std::vector<float> x = any_floats(20000, 11);
  Rng rng(12);
  for (int i = 0; i < 60000; ++i)  // around the range of F16, subnormal ones too
    x.push_back(static_cast<float>(
        std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.next() % 46) - 28)));
  std::vector<uint16_t> got(x.size());
  for (const Kernels* t : vector_kernels()) {
    t->narrow_f16(x.data(), got.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(bits_of(f32_from_f16(got[i])), bits_of(f32_from_f16(f16_from_f32(x[i]))))
          << t->name << ' ' << x[i];
  }
}

TEST(Kernels, PackedColumnsAreTheSameInEveryTable) {
  constexpr int64_t kStride = 41, kNumbers = 40;
  std::vector<uint16_t> columns(kPanel * kStride);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<uint16_t>(i);
  const auto packed = [&](const Kernels& t, Panels panels) {
    std::vector<uint16_t> panel(kPanel * kNumbers);
    t.pack_columns(columns.data(), kStride, kNumbers, panels, panel.data());
    return panel;
  };
  for (const Kernels* t : vector_kernels())
    for (const Panels panels : {Panels::Rows, Panels::InOrder})
      EXPECT_EQ(packed(*t, panels), packed(plain_kernels(), panels)) << t->name;
}

// Rows across all group sizes, columns and k with remainders, and numbers below the normal range.
TEST(Kernels, ProductsAreTheSameInEveryTable) {
  const Kernels& plain = plain_kernels();
  for (const int64_t m : {1, 2, 5, 6, 7, 12, 13, 16, 25, 49})
    for (const auto& size :
         {std::pair<int64_t, int64_t>{1, 1}, {9, 31}, {160, 32}, {163, 100}, {24, 48}}) {
      const int64_t k = size.first, n = size.second;  // Clang 14 cannot capture a binding
      Rng rng(static_cast<uint64_t>(m * 1000 + k));
      const int64_t panels = (n + kPanel - 1) / kPanel;
      const auto small = [&] { return static_cast<float>((rng.uniform() - 0.5) * 4); };
      std::vector<float> a(static_cast<std::size_t>(m * k)), start(static_cast<std::size_t>(m * n));
      std::vector<uint16_t> b(
          static_cast<std::size_t>(std::max({panels * kPanel * k, k * (n + 2), n * (k + 3)})));
      std::vector<float> b32(b.size());
      for (float& x : a) x = small();
      for (float& x : start) x = small();
      for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = bf16_from_f32(i % 50 == 0 ? 1e-39f : small());
        b32[i] = f32_from_bf16(b[i]);  // as F16 the same bits are other numbers, all finite
      }
      // The panels must start at a cache line, as packed ones do.
      std::vector<uint16_t> room(b.size() + 32);
      auto* panel =
          room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64 / 2;
      std::copy(b.begin(), b.end(), panel);
      const auto run = [&](const Kernels& t, int which) {
        std::vector<float> c = start;
        std::vector<float> left(a.size());
        const Left packed{left.data(), m, k};
        // In two parts, as a long left operand is.
        const int64_t part = k / 2;
        t.pack_left(a.data(), k, 0, part, packed);
        t.pack_left(a.data() + part, k, part, k - part, packed);
        if (which == 6) {
          std::vector<uint16_t> narrow(a.size());
          plain.narrow(a.data(), narrow.data(), m * k);
          t.pack_left_bf16(narrow.data(), k, 0, part, packed);
          t.pack_left_bf16(narrow.data() + part, k, part, k - part, packed);
        }
        const Product p{left.data(), m, k, n, c.data(), n};
        // Ends before the product does.
        Stream stream{reinterpret_cast<const std::byte*>(b.data()), 100,
                      reinterpret_cast<const std::byte*>(a.data()), 1000};
        if (which == 0 || which == 6) t.multiply_panels(p, panel, k * kPanel, panel);
        if (which == 7) t.multiply_panels_f16(p, panel, k * kPanel, panel);
        if (which == 8) t.multiply_rows_f16(p, b.data(), n + 2, stream);
        if (which == 9) t.multiply_transposed_f16(p, b.data(), k + 2, stream);
        if (which == 10) t.multiply_transposed_f16(p, b.data(), k + 3, stream);
        if (which == 1) t.multiply_rows_bf16(p, b.data(), n + 2, stream);
        if (which == 2) t.multiply_transposed_bf16(p, b.data(), k + 2, stream);
        if (which == 3) t.multiply_transposed_bf16(p, b.data(), k + 3, stream);
        if (which == 4) t.multiply_rows_f32(p, b32.data(), n + 2);
        if (which == 5) t.multiply_transposed_f32(p, b32.data(), k + 2);
        return c;
      };
      for (const Kernels* t : vector_kernels())
        for (int which = 0; which < 11; ++which) {
          // A unit multiplies BF16 with BF16 only; bf16_products_test.cc compares these products.
          const bool right_is_bf16 = which <= 3 || which == 6;
          if (t->without_unit && right_is_bf16) continue;
          ASSERT_EQ(run(*t, which), run(plain, which))
              << t->name << " product " << which << " of " << m << " x " << k << " x " << n;
        }
    }
}

}  // namespace
}  // namespace tilewright::cpu::simd
