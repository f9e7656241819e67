#include "tilewright/cpu/bind/encoded_panels.h"

#include <algorithm>
#include <cstring>

namespace tilewright::cpu {
namespace {

using simd::kPanel;
using simd::kQuad;
using simd::kQuadRow;
using simd::PanelLayout;

std::byte byte_of(int x) { return static_cast<std::byte>(x); }

// Four codes of a column into their place, or'ed with what is there.
void put_codes(const PanelLayout& l, const uint8_t* stored, int64_t row, int64_t column,
               std::byte* block) {
  const int64_t at = column * kQuad;
  if (l.bits_stored() == 8) {
    std::memcpy(block + l.codes + row * kQuadRow + at, stored, kQuad);
    return;
  }
  std::byte* low = block + l.codes + row / 2 * kQuadRow + at;
  for (int64_t i = 0; i < kQuad; ++i) low[i] |= byte_of((stored[i] & 15) << 4 * (row % 2));
  const int n = l.high_bits_of_code();
  if (n == 0) return;
  const int64_t together = 8 / n;
  std::byte* high = block + l.high_bits + row / together * kQuadRow + at;
  for (int64_t i = 0; i < kQuad; ++i) high[i] |= byte_of((stored[i] >> 4) << row % together * n);
}

void put_scales(const PanelLayout& l, const BlockFields& fields, int64_t column, std::byte* block) {
  if (l.scale_bytes == 4) {
    const float scale = block_scale(l.type, fields.scale);
    std::memcpy(block + 4 * column, &scale, 4);
  } else {
    std::memcpy(block + 2 * column, &fields.scale, 2);
  }
  if (l.encoding.minima) std::memcpy(block + l.minima + 2 * column, &fields.minimum, 2);
  if (!l.encoding.part_scales) return;
  for (int64_t p = 0; p < l.parts; ++p) {
    const auto part = static_cast<std::size_t>(p);
    block[l.part_scales + p * kPanel + column] = byte_of(fields.part_scales[part]);
    if (l.encoding.minima)
      block[l.part_minima + p * kPanel + column] = byte_of(fields.part_minima[part]);
  }
}

}  // namespace

void pack_encoded_block(const PanelLayout& l, const std::byte* from, int64_t column_bytes,
                        int64_t columns, std::byte* to) {
  std::memset(to, 0, static_cast<std::size_t>(l.bytes));
  BlockFields fields;
  for (int64_t column = 0; column < columns; ++column, from += column_bytes) {
    read_fields(l.type, from, fields);
    put_scales(l, fields, column, to);
    for (int64_t k = 0; k < l.block; k += kQuad)
      put_codes(l, fields.stored.data() + k, k / kQuad, column, to);
  }
}

void pack_encoded_panels(const HostArray& from, int64_t first, int64_t last, std::byte* to) {
  const PanelLayout& l = simd::panel_layout(from.dtype());
  const int64_t columns = from.shape()[0], blocks = from.shape()[1] / l.block;
  const int64_t file_block = block_bytes(from.dtype());
  for (int64_t panel = first; panel < last; ++panel) {
    const int64_t real = std::min(kPanel, columns - panel * kPanel);
    const std::byte* rows = from.data() + panel * kPanel * blocks * file_block;
    for (int64_t b = 0; b < blocks; ++b)
      pack_encoded_block(l, rows + b * file_block, blocks * file_block, real,
                         to + (panel * blocks + b) * l.bytes);
  }
}

}  // namespace tilewright::cpu
