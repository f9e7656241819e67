// The layouts of panels, and the plain loops that every table is compared with.
#include "tilewright/cpu/simd/encoded.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "tilewright/base/rng.h"
#include "tilewright/cpu/simd/encoded_plain.h"

namespace tilewright::cpu::simd {
namespace {

PanelLayout make_layout(DType t) {
  PanelLayout l{t, encoding_of(t), block_elements(t), 0, 0, 0, 0, 0, 0, 0, 0};
  l.parts = l.block / l.encoding.part;
  l.scale_bytes = t == DType::MXFP4 ? 4 : 2;
  int64_t at = kPanel * l.scale_bytes;
  const auto take = [&at](int64_t bytes) {
    const int64_t begin = at;
    at += bytes;
    return begin;
  };
  const int64_t integers = l.encoding.part_scales ? l.parts * kPanel : 0;
  l.minima = take(l.encoding.minima ? kPanel * 2 : 0);
  l.part_scales = take(integers);
  l.part_minima = take(l.encoding.minima ? integers : 0);
  l.codes = take(l.block * kPanel * l.bits_stored() / 8);
  l.high_bits = take(l.block * kPanel * l.high_bits_of_code() / 8);
  l.bytes = at;
  return l;
}

uint16_t half_at(const std::byte* p, int64_t i) {
  uint16_t h = 0;
  std::memcpy(&h, p + 2 * i, 2);
  return h;
}
int byte_at(const std::byte* p, int64_t i) { return std::to_integer<int>(p[i]); }

// The block of a panel as decode_block decodes one of a file, for one column.
int stored_code(const PanelLayout& l, const std::byte* block, int64_t k, int64_t column) {
  const int64_t row = k / kQuad, at = column * kQuad + k % kQuad;
  const std::byte* codes = block + l.codes;
  if (l.bits_stored() == 8) return static_cast<int8_t>(byte_at(codes, row * kQuadRow + at));
  int code = (byte_at(codes, row / 2 * kQuadRow + at) >> 4 * (row % 2)) & 15;
  if (const int n = l.high_bits_of_code(); n > 0) {
    const int64_t together = 8 / n;
    const int high = byte_at(block + l.high_bits, row / together * kQuadRow + at);
    code |= ((high >> row % together * n) & ((1 << n) - 1)) << 4;
  }
  return code;
}
int code_at(const PanelLayout& l, const std::byte* block, int64_t k, int64_t column) {
  const int stored = stored_code(l, block, k, column);
  return l.encoding.table ? l.encoding.table[stored] : stored - l.encoding.offset;
}
float scale_at(const PanelLayout& l, const std::byte* block, int64_t part, int64_t column) {
  float scale = 0;
  if (l.scale_bytes == 4)
    std::memcpy(&scale, block + 4 * column, 4);
  else
    scale = f32_from_f16(half_at(block, column));
  if (l.encoding.part_scales)
    scale *= static_cast<float>(
        static_cast<int8_t>(byte_at(block + l.part_scales, part * kPanel + column)));
  return scale;
}
float minimum_at(const PanelLayout& l, const std::byte* block, int64_t part, int64_t column) {
  float minimum = f32_from_f16(half_at(block + l.minima, column));
  if (l.encoding.part_scales)
    minimum *= static_cast<float>(
        static_cast<int8_t>(byte_at(block + l.part_minima, part * kPanel + column)));
  return minimum;
}

// Every part of a block added to one sum; `k0` is the block's place in the row.
float with_block(const PanelLayout& l, const std::byte* block, int64_t column,
                 const EncodedProduct& p, int64_t m, int64_t k0, float sum) {
  for (int64_t part = 0; part < l.parts; ++part) {
    const int64_t first = k0 + part * l.encoding.part;
    const QuantisedChunk& x = p.left[first / kLeftChunk * p.rows + m];
    const int64_t at = first % kLeftChunk;
    int products = 0, total = 0;
    for (int64_t i = 0; i < l.encoding.part; ++i) {
      products += x.codes[at + i] * code_at(l, block, part * l.encoding.part + i, column);
      total += x.codes[at + i];
    }
    const float scale = x.scales[at / kLeftBlock];
    sum = std::fma(static_cast<float>(products), scale * scale_at(l, block, part, column), sum);
    if (l.encoding.minima)
      sum = std::fma(-minimum_at(l, block, part, column), scale * static_cast<float>(total), sum);
  }
  return sum;
}

}  // namespace

const PanelLayout& panel_layout(DType t) {
  static const std::map<DType, PanelLayout> all = [] {
    std::map<DType, PanelLayout> layouts;
    for (int i = 0; i < kDTypeCount; ++i)
      if (const auto type = static_cast<DType>(i); is_encoded(type))
        layouts.emplace(type, make_layout(type));
    return layouts;
  }();
  return all.at(t);
}

void quantise_block_plain(const float* x, int8_t* codes, float& scale, int32_t* sums) {
  // Magnitudes order as their bits do; those of infinities and NaNs are the largest.
  uint32_t largest_bits = 0;
  for (int64_t i = 0; i < kLeftBlock; ++i)
    largest_bits = std::max(largest_bits, std::bit_cast<uint32_t>(x[i]) & 0x7FFFFFFFu);
  const auto largest = std::bit_cast<float>(largest_bits);
  const float reciprocal = 127.0f / largest;
  const bool finite = largest_bits < 0x7F800000u;
  const bool usable = finite && std::isfinite(reciprocal);
  scale = !finite ? std::numeric_limits<float>::quiet_NaN() : usable ? largest / 127.0f : 0.0f;
  sums[0] = sums[1] = 0;
  for (int64_t i = 0; i < kLeftBlock; ++i) {
    codes[i] = usable ? static_cast<int8_t>(std::nearbyint(x[i] * reciprocal)) : int8_t{0};
    sums[i / kSmallestPart] += codes[i];
  }
}

void multiply_encoded_plain(const EncodedProduct& p) {
  const PanelLayout& l = *p.layout;
  for (int64_t m = 0; m < p.rows; ++m)
    for (int64_t n = 0; n < p.cols; ++n) {
      const std::byte* block = p.panels + n / kPanel * p.panel_stride;
      float& sum = p.c[m * p.c_stride + n];
      for (int64_t k = 0; k < p.depth; k += l.block, block += l.bytes)
        sum = with_block(l, block, n % kPanel, p, m, k, sum);
    }
}

bool multiplies_as_plain(const Kernels& table) {
  constexpr int64_t kRows = 3;
  std::vector<QuantisedChunk> left(kRows);
  Rng rng(1);
  for (QuantisedChunk& chunk : left) {
    std::array<float, kLeftChunk> x{};
    for (float& v : x) v = static_cast<float>(rng.uniform()) - 0.5f;
    quantise_rows_plain(x.data(), kLeftChunk, 1, kLeftChunk, &chunk);
  }
  for (const DType t : {DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q5_K, DType::Q6_K}) {
    const PanelLayout& l = panel_layout(t);
    std::vector<std::byte> panel(static_cast<std::size_t>(kLeftChunk / l.block * l.bytes + 64));
    for (std::byte& b : panel) b = static_cast<std::byte>(rng.next() >> 20);
    constexpr uint16_t kOne = 0x3C00;  // F16
    for (int64_t at = 0; at < kLeftChunk / l.block * l.bytes; at += l.bytes)
      for (int64_t i = 0; i < (l.encoding.minima ? 2 : 1) * kPanel; ++i)
        std::memcpy(panel.data() + at + 2 * i, &kOne, 2);
    std::array<float, kRows * kPanel> expected{}, found{};
    EncodedProduct p{left.data(), kRows,  kLeftChunk,      &l,    panel.data(),
                     0,           kPanel, expected.data(), kPanel};
    multiply_encoded_plain(p);
    p.c = found.data();
    table.multiply_encoded(p);
    if (found != expected) return false;
  }
  return true;
}

void quantise_rows_plain(const float* x, int64_t stride, int64_t rows, int64_t n,
                         QuantisedChunk* to) {
  for (int64_t m = 0; m < rows; ++m) {
    QuantisedChunk& chunk = to[m];
    if (n < kLeftChunk) chunk = {};
    for (int64_t k = 0; k < n; k += kLeftBlock)
      quantise_block_plain(x + m * stride + k, chunk.codes + k, chunk.scales[k / kLeftBlock],
                           chunk.sums + k / kSmallestPart);
  }
}

}  // namespace tilewright::cpu::simd
