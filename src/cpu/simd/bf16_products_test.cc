// Products of BF16 with BF16 in every table that adds in ascending k, to the bit: sums by the rule
// of base/bf16_product.h, number by number, among many that are subnormal or next to it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tilewright/base/bf16_product.h"
#include "tilewright/base/dtype.h"
#include "tilewright/base/rng.h"
#include "tilewright/cpu/bind/panels.h"
#include "tilewright/cpu/simd/all_kernels.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {
namespace {

using Bits = std::vector<uint16_t>;

// Which numbers a product has.
enum class Kind : uint8_t { Ordinary, Small, Any };

uint16_t number_of(Rng& rng, Kind kind) {
  const uint64_t r = rng.next();
  if (kind == Kind::Ordinary) return bf16_from_f32(static_cast<float>((rng.uniform() - 0.5) * 4));
  // Exponents and signs of all kinds, NaN and infinities among them, though few: they spread.
  if (kind == Kind::Any && r % 64 == 0) return static_cast<uint16_t>(r >> 8);
  // Products around 2^-126; zeros of both signs and subnormal numbers.
  const auto sign = static_cast<uint16_t>(r >> 63 << 15);
  if (r % 16 == 1) return sign;
  if (r % 16 == 2) return static_cast<uint16_t>(sign | (r >> 8 & 0x7F));
  return static_cast<uint16_t>(sign | (52 + (r >> 16) % 14) << 7 | (r >> 8 & 0x7F));
}

float start_of(Rng& rng, Kind kind) {
  const uint64_t r = rng.next();
  if (kind == Kind::Ordinary) return static_cast<float>((rng.uniform() - 0.5) * 4);
  const auto sign = static_cast<uint32_t>(r >> 63 << 31);
  // Zeros, subnormal numbers, those next to 2^-126, and others near it.
  const auto fraction = static_cast<uint32_t>(r >> 8 & 0x7FFFFF);
  switch (r % 4) {
    case 0: return std::bit_cast<float>(sign);
    case 1: return std::bit_cast<float>(sign | fraction);
    case 2: return std::bit_cast<float>(sign | (1u << 23) | (fraction & 7));
    default:
      return std::bit_cast<float>(sign | static_cast<uint32_t>(1 + (r >> 40) % 4) << 23 | fraction);
  }
}

bool same_bits(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

// One product, and every way to make it. Rows of everything lie `gap` numbers apart.
class ProductCase {
 public:
  ProductCase(int64_t m, int64_t k, int64_t n, int64_t gap, Kind kind)
      : m_(m), k_(k), n_(n), gap_(gap), rng_(static_cast<uint64_t>(m * 1000 + k)) {
    for (int64_t i = 0; i < m * k; ++i) a_.push_back(number_of(rng_, kind));
    for (int64_t i = 0; i < k * n; ++i) b_.push_back(number_of(rng_, kind));  // row after row
    for (int64_t i = 0; i < m * n; ++i) start_.push_back(start_of(rng_, kind));
    columns_.assign(static_cast<std::size_t>(n * (k + gap)), kNoNumber);
    rows_.assign(static_cast<std::size_t>(k * (n + gap)), kNoNumber);
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j)
        columns_[at(j * (k + gap) + i)] = rows_[at(i * (n + gap) + j)] = b_[at(i * n + j)];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        expected_.push_back(sum_of(i, j, start_[at(i * n + j)]));
        expected_fresh_.push_back(sum_of(i, j, 0));
      }
  }

  void run(const Kernels& table) const {
    // In two parts, as a long left operand is packed.
    std::vector<float> left(at(m_ * (k_ + kGroupK)));
    const int64_t part = k_ / 4 * 2;
    table.pack_left_bf16(a_.data(), k_, 0, part, {left.data(), m_, k_});
    table.pack_left_bf16(a_.data() + part, k_, part, k_ - part, {left.data(), m_, k_});
    expect(table, left, "rows", [&](const Product& p) {
      Stream stream;
      table.multiply_rows_bf16(p, rows_.data(), n_ + gap_, stream);
    });
    expect(table, left, "transposed", [&](const Product& p) {
      Stream stream{reinterpret_cast<const std::byte*>(columns_.data()), k_ * 2};
      table.multiply_transposed_bf16(p, columns_.data(), k_ + gap_, stream);
    });
    for (const std::size_t reduced : {0u, 1u}) {
      const PackedArg how{true, reduced, table.panels};
      const Shape shape = reduced == 0 ? Shape{k_, n_} : Shape{n_, k_};
      HostArray weight(DType::BF16, shape);
      for (int64_t i = 0; i < k_; ++i)
        for (int64_t j = 0; j < n_; ++j)
          weight.as<uint16_t>()[at(reduced == 0 ? i * n_ + j : j * k_ + i)] = b_[at(i * n_ + j)];
      // Panels start at a cache line, as packed ones do.
      Bits room(at(packed_bytes(shape, how) / 2 + 32), kNoNumber);
      auto* panels =
          room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64 / 2;
      pack_panels(weight, how, 0, panel_count(shape, how), reinterpret_cast<std::byte*>(panels));
      expect(table, left, "panels", [&](const Product& p) {
        table.multiply_panels(p, panels, panel_stride(shape, how), panels);
      });
    }
  }

 private:
  static std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

  float sum_of(int64_t i, int64_t j, float sum) const {
    for (int64_t l = 0; l < k_; ++l)
      sum = add_bf16_product(sum, f32_from_bf16(a_[at(i * k_ + l)]),
                             f32_from_bf16(b_[at(l * n_ + j)]));
    return sum;
  }

  template <class Multiply>
  void expect(const Kernels& table, std::vector<float>& left, const char* what,
              const Multiply& multiply) const {
    std::vector<float> wide(at(m_ * (n_ + gap_)), 7.0f);
    for (int64_t i = 0; i < m_; ++i)
      std::copy_n(start_.data() + i * n_, n_, wide.data() + i * (n_ + gap_));
    expect(table, left, what, multiply, false, expected_, wide);
    // Sums that hold nothing yet may hold anything.
    if (table.starts_sums) expect(table, left, what, multiply, true, expected_fresh_, wide);
  }
  template <class Multiply>
  void expect(const Kernels& table, std::vector<float>& left, const char* what,
              const Multiply& multiply, bool fresh, const std::vector<float>& expected,
              std::vector<float>& wide) const {
    multiply(Product{left.data(), m_, k_, n_, wide.data(), n_ + gap_, true, fresh});
    for (int64_t i = 0; i < m_; ++i)
      for (int64_t j = 0; j < n_ + gap_; ++j) {
        const float got = wide[at(i * (n_ + gap_) + j)];
        const float want = j < n_ ? expected[at(i * n_ + j)] : 7.0f;
        ASSERT_TRUE(same_bits(got, want))
            << table.name << ' ' << what << (fresh ? " from zero [" : " [") << i << ", " << j
            << "]: " << got << " instead of " << want;
      }
  }

  static constexpr uint16_t kNoNumber = 0xFFFF;  // what nobody may read
  int64_t m_, k_, n_, gap_;
  Rng rng_;
  Bits a_, b_, columns_, rows_;
  std::vector<float> start_, expected_, expected_fresh_;
};

// Rows around every number of groups, columns and k with remainders, several blocks of each.
TEST(Bf16Products, FollowTheRuleInEveryTable) {
  for (const Kind kind : {Kind::Ordinary, Kind::Small, Kind::Any})
    for (const int64_t m : {1, 2, 3, 5, 6, 7, 8, 12, 13, 16, 25, 49})
      for (const auto& [k, n] : {std::pair<int64_t, int64_t>{1, 1},
                                 {2, 16},
                                 {9, 31},
                                 {163, 100},
                                 {24, 48},
                                 {320, 33},
                                 {256, 130}})
        for (const int64_t gap : {0, 3, 8}) {
          if (gap != 3 && kind != Kind::Small) continue;
          SCOPED_TRACE(fmt::format("{} x {} x {}, gaps of {}, numbers {}", m, k, n, gap,
                                   static_cast<int>(kind)));
          const ProductCase product(m, k, n, gap, kind);
          for (const Kernels* table : all_kernels()) product.run(*table);
          if (testing::Test::HasFailure()) return;
        }
}

// The same left rows in FP32 keep subnormal numbers.
TEST(Bf16Products, OfFp32RowsKeepSubnormalNumbers) {
  const float x = 0x1p-63f;
  const uint16_t y = bf16_from_f32(0x1p-66f);
  for (const Kernels* t : vector_kernels()) {
    if (t->without_unit) continue;
    float left = 0;
    t->pack_left(&x, 1, 0, 1, {&left, 1, 1});
    for (const bool of_bf16 : {false, true}) {
      float sum = 0;
      Stream stream;
      t->multiply_rows_bf16({&left, 1, 1, 1, &sum, 1, of_bf16}, &y, 1, stream);
      EXPECT_EQ(sum, of_bf16 ? 0.0f : 0x1p-129f) << t->name;
    }
  }
}

}  // namespace
}  // namespace tilewright::cpu::simd
