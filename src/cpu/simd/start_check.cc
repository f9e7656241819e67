#include "tilewright/cpu/simd/start_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "tilewright/base/dtype.h"
#include "tilewright/base/rng.h"

namespace tilewright::cpu::simd {
namespace {

// Small enough for every start: one register tile and a rest, an odd depth.
constexpr int64_t kRows = 17, kDepth = 9;

struct Operands {
  std::array<uint16_t, kRows * kDepth> left{};
  std::array<uint16_t, kDepth * kPanel> right{};  // row after row
  std::array<float, kRows * kPanel> sums{};
};

Operands ordinary_operands() {
  Operands o;
  Rng rng(1);
  const auto number = [&] { return static_cast<float>(rng.uniform()) - 0.5f; };
  for (uint16_t& x : o.left) x = bf16_from_f32(number());
  for (uint16_t& x : o.right) x = bf16_from_f32(number());
  for (float& x : o.sums) x = number();
  return o;
}

// Products around 2^-126, and among them zeros and subnormal numbers; sums next to 2^-126.
Operands small_operands() {
  Operands o;
  Rng rng(1);
  const auto number = [&] {
    const uint64_t r = rng.next();
    const uint64_t exponent = r % 16 == 0 ? 0 : 52 + (r >> 16) % 14;
    return static_cast<uint16_t>((r >> 63 << 15) | exponent << 7 | (r >> 8 & 0x7F));
  };
  for (uint16_t& x : o.left) x = number();
  for (uint16_t& x : o.right) x = number();
  for (float& x : o.sums) {
    const uint64_t r = rng.next();
    x = std::bit_cast<float>(static_cast<uint32_t>(r >> 63 << 31 | (r % 2) << 23 | (r >> 8 & 7)));
  }
  return o;
}

// Sums whose bits show that they are rounded before they are compared with 2^-126.
Operands edge_operands() {
  Operands o;
  const uint16_t x = 0x1A00, y = 0x9A00;  // 2^-75 and -2^-75
  o.left.fill(x);
  o.right[0] = y;
  o.right[1] = static_cast<uint16_t>(y - 0x80);      // half of it: 2^-126 stays
  o.right[2] = static_cast<uint16_t>(y - 0x80 + 1);  // a little more than half
  o.sums.fill(0x1p-126f);
  return o;
}

using Bits = std::vector<uint32_t>;

void append(Bits& to, const std::array<float, kRows * kPanel>& sums) {
  for (const float x : sums) to.push_back(std::bit_cast<uint32_t>(x));
}

// By rows, and where a panel is simple by a panel.
Bits products(const Kernels& table, const Operands& o) {
  Bits out;
  std::vector<float> left(whole_groups(kDepth) * kRows);
  table.pack_left_bf16(o.left.data(), kDepth, 0, kDepth, {left.data(), kRows, kDepth});
  Product p{left.data(), kRows, kDepth, kPanel, nullptr, kPanel, true};
  auto sums = o.sums;
  p.c = sums.data();
  Stream stream;
  table.multiply_rows_bf16(p, o.right.data(), kPanel, stream);
  append(out, sums);
  if (table.panels == Panels::Pairs) return out;
  alignas(64) std::array<uint16_t, whole_groups(kDepth, 2) * kPanel> panel{};
  for (int64_t k = 0; k < kDepth; ++k)
    for (int64_t c = 0; c < kPanel; ++c) {
      const int64_t at =
          table.panels == Panels::Swapped ? swapped_position(k, c) : k * kPanel + panel_position(c);
      panel[static_cast<std::size_t>(at)] = o.right[static_cast<std::size_t>(k * kPanel + c)];
    }
  sums = o.sums;
  table.multiply_panels(p, panel.data(), 0, panel.data());
  append(out, sums);
  return out;
}

bool same(const Kernels& reference, const Kernels& table, const Operands& o) {
  const Bits a = products(reference, o);
  const Bits b = products(table, o);
  return std::equal(a.begin(),
                    a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                    b.begin());
}

}  // namespace

bool multiplies_bf16_as(const Kernels& reference, const Kernels& table) {
  return same(reference, table, ordinary_operands());
}

bool multiplies_bf16_as_plain(const Kernels& table) {
  const Kernels& plain = plain_kernels();
  return same(plain, table, ordinary_operands()) && same(plain, table, small_operands()) &&
         same(plain, table, edge_operands());
}

void tell_wrong(std::string_view what) {
  std::fputs(("warning: " + std::string(what) +
              " give wrong results on this machine and are not used\n")
                 .c_str(),
             stderr);
}

}  // namespace tilewright::cpu::simd
