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

// The stored codes of a block of one column go where they stay at once: the block of a panel fits
// into L1. A quad of codes is a word, and one of kPanel in a row.
uint32_t word_of(const BlockFields& fields, int64_t quad) {
  uint32_t word;
  std::memcpy(&word, fields.stored.data() + quad * kQuad, kQuad);
  return word;
}
class Words {
 public:
  Words(std::byte* row, int64_t column) : next_(row + column * kQuad) {}
  void put(uint32_t word) {
    std::memcpy(next_, &word, kQuad);
    next_ += kQuadRow;
  }

 private:
  std::byte* next_;
};

void put_bytes(const PanelLayout& l, const BlockFields& fields, int64_t column, std::byte* block) {
  Words to(block + l.codes, column);
  for (int64_t quad = 0; quad < l.block / kQuad; ++quad) to.put(word_of(fields, quad));
}

void put_low_nibbles(const PanelLayout& l, const BlockFields& fields, int64_t column,
                     std::byte* block) {
  constexpr uint32_t kLow = 0x0F0F0F0F;
  Words to(block + l.codes, column);
  for (int64_t quad = 0; quad < l.block / kQuad; quad += 2)
    to.put((word_of(fields, quad) & kLow) | (word_of(fields, quad + 1) & kLow) << 4);
}

// The bits above the low four, one or two of each code.
void put_high_bits(const PanelLayout& l, const BlockFields& fields, int64_t column,
                   std::byte* block) {
  const int n = l.high_bits_of_code();
  const uint32_t mask = n == 1 ? 0x01010101 : 0x03030303;
  const int64_t together = 8 / n;
  Words to(block + l.high_bits, column);
  for (int64_t quad = 0; quad < l.block / kQuad; quad += together) {
    uint32_t bits = 0;
    for (int64_t i = 0; i < together; ++i) bits |= (word_of(fields, quad + i) >> 4 & mask) << i * n;
    to.put(bits);
  }
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
  if (columns < kPanel) std::memset(to, 0, static_cast<std::size_t>(l.bytes));
  // Columns are too many streams for the hardware to foresee; packed blocks are written over all of
  // what is read here.
  constexpr int64_t kAhead = 256;
  BlockFields fields;
  for (int64_t column = 0; column < columns; ++column, from += column_bytes) {
    __builtin_prefetch(from + kAhead);
    read_fields(l.type, from, fields);
    put_scales(l, fields, column, to);
    if (l.bits_stored() == 8) {
      put_bytes(l, fields, column, to);
      continue;
    }
    put_low_nibbles(l, fields, column, to);
    if (l.high_bits_of_code() > 0) put_high_bits(l, fields, column, to);
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
