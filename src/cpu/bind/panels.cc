#include "tilewright/cpu/bind/panels.h"

#include <algorithm>
#include <cstring>

#include "tilewright/base/check.h"
#include "tilewright/cpu/bind/byte_panels.h"
#include "tilewright/cpu/bind/encoded_panels.h"

namespace tilewright::cpu {
namespace {

using simd::kGroupK;
using simd::kPanel;
using simd::Panels;

constexpr int64_t kHalf = kPanel / 2;

// A weight as it lies in an array: numbers of one k side by side, or of one column.
struct Matrix {
  const uint16_t* x;
  int64_t depth, cols;
};

int64_t real_columns(const Matrix& m, int64_t panel) {
  return std::min(kPanel, m.cols - panel * kPanel);
}

// ---- Panels::Rows and Panels::InOrder ----

// One k of a panel whose columns lie in a row: column c beside column c + 16.
void pack_row(const uint16_t* from, int64_t real, uint16_t* to) {
  if (real == kPanel) {
    for (int64_t c = 0; c < kHalf; ++c) {
      to[2 * c] = from[c];
      to[2 * c + 1] = from[kHalf + c];
    }
    return;
  }
  for (int64_t c = 0; c < kPanel; ++c)
    to[simd::panel_position(c)] = c < real ? from[c] : uint16_t{0};
}

void pack_rows(const Matrix& m, int64_t panel, int64_t k, int64_t, uint16_t* to) {
  pack_row(m.x + k * m.cols + panel * kPanel, real_columns(m, panel), to + k * kPanel);
}

void copy_rows(const Matrix& m, int64_t panel, int64_t k, int64_t, uint16_t* to) {
  const int64_t real = real_columns(m, panel);
  std::copy_n(m.x + k * m.cols + panel * kPanel, real, to + k * kPanel);
  std::fill_n(to + k * kPanel + real, kPanel - real, uint16_t{0});
}

// Columns that lie in rows of their own. All instruction sets pack alike.
template <Panels kPanels>
void pack_columns(const Matrix& m, int64_t panel, int64_t k0, int64_t end, uint16_t* to) {
  if (real_columns(m, panel) == kPanel) {
    static const simd::Kernels& fastest = *simd::vector_kernels().back();
    const int64_t eights = (end - k0) / 8 * 8;
    fastest.pack_columns(m.x + panel * kPanel * m.depth + k0, m.depth, eights, kPanels,
                         to + k0 * kPanel);
    k0 += eights;
  }
  for (int64_t c = 0; c < kPanel; ++c) {
    uint16_t* column = to + (kPanels == Panels::InOrder ? c : simd::panel_position(c));
    const bool real = panel * kPanel + c < m.cols;
    for (int64_t k = k0; k < end; ++k)
      column[k * kPanel] = real ? m.x[(panel * kPanel + c) * m.depth + k] : uint16_t{0};
  }
}

// ---- Panels::Pairs ----

// Where the pair of k and k + 1 of a column is.
uint16_t* pair_at(uint16_t* panel, int64_t k, int64_t column) {
  return panel + k / kGroupK * kGroupK * kPanel + column / kHalf * kGroupK * kHalf +
         k % kGroupK / 2 * kPanel + column % kHalf * 2;
}

// Two k of sixteen columns that lie in rows.
void interleave_two(const uint16_t* even, const uint16_t* odd, uint16_t* to) {
  for (int64_t c = 0; c < kHalf; ++c) {
    to[2 * c] = even[c];
    to[2 * c + 1] = odd[c];
  }
}

void pack_row_pairs(const Matrix& m, int64_t panel, int64_t k, int64_t, uint16_t* to) {
  const int64_t real = real_columns(m, panel);
  const uint16_t* even = m.x + k * m.cols + panel * kPanel;
  if (real == kPanel && k + 1 < m.depth) {
    for (int64_t c = 0; c < kPanel; c += kHalf)
      interleave_two(even + c, even + m.cols + c, pair_at(to, k, c));
    return;
  }
  for (int64_t c = 0; c < kPanel; ++c) {
    uint16_t* pair = pair_at(to, k, c);
    pair[0] = c < real && k < m.depth ? even[c] : uint16_t{0};
    pair[1] = c < real && k + 1 < m.depth ? even[m.cols + c] : uint16_t{0};
  }
}

void pack_column_pairs(const Matrix& m, int64_t panel, int64_t k0, int64_t end, uint16_t* to) {
  for (int64_t c = 0; c < kPanel; ++c) {
    const bool real = panel * kPanel + c < m.cols;
    const uint16_t* column = m.x + (panel * kPanel + c) * m.depth;
    for (int64_t k = k0; k < end; k += 2) {
      uint16_t* pair = pair_at(to, k, c);
      if (real && k + 1 < m.depth) {
        std::memcpy(pair, column + k, 4);
      } else {
        pair[0] = real && k < m.depth ? column[k] : uint16_t{0};
        pair[1] = 0;
      }
    }
  }
}

// ---- Panels::Swapped ----

void swap_rows(const Matrix& m, int64_t panel, int64_t k, int64_t, uint16_t* to) {
  const int64_t real = real_columns(m, panel);
  for (int64_t i = k; i < k + 2; ++i)
    for (int64_t c = 0; c < kPanel; ++c)
      to[simd::swapped_position(i, c)] =
          c < real && i < m.depth ? m.x[i * m.cols + panel * kPanel + c] : uint16_t{0};
}

void swap_columns(const Matrix& m, int64_t panel, int64_t k0, int64_t end, uint16_t* to) {
  for (int64_t c = 0; c < kPanel; ++c) {
    const bool real = panel * kPanel + c < m.cols;
    const uint16_t* column = m.x + (panel * kPanel + c) * m.depth;
    for (int64_t k = k0; k < end; ++k)
      to[simd::swapped_position(k, c)] = real && k < m.depth ? column[k] : uint16_t{0};
  }
}

// Panels [first, last), `together` of them and `step` k at a time.
using PackSome = void (*)(const Matrix& m, int64_t panel, int64_t k, int64_t end, uint16_t* to);
void pack_all(const Matrix& m, int64_t depth, int64_t first, int64_t last, int64_t together,
              int64_t step, PackSome pack, uint16_t* to) {
  for (int64_t group = first; group < last; group += together)
    for (int64_t k = 0; k < depth; k += step)
      for (int64_t panel = group; panel < std::min(last, group + together); ++panel)
        pack(m, panel, k, std::min(depth, k + step), to + panel * depth * kPanel);
}

PackSome row_packer(Panels panels) {
  switch (panels) {
    case Panels::Rows: return pack_rows;
    case Panels::InOrder: return copy_rows;
    case Panels::Pairs: return pack_row_pairs;
    case Panels::Swapped: return swap_rows;
    case Panels::Quads: break;
  }
  bug("packing: panels of bytes");
}

PackSome column_packer(Panels panels) {
  switch (panels) {
    case Panels::Rows: return pack_columns<Panels::Rows>;
    case Panels::InOrder: return pack_columns<Panels::InOrder>;
    case Panels::Pairs: return pack_column_pairs;
    case Panels::Swapped: return swap_columns;
    case Panels::Quads: break;
  }
  bug("packing: panels of bytes");
}

int64_t padded_depth(int64_t depth, Panels panels) {
  return simd::whole_groups(depth, simd::group_depth(panels));
}

void pack_bytes(const HostArray& from, std::size_t k, int64_t first, int64_t last, std::byte* to) {
  const int64_t row = from.shape()[1];
  const Bytes bytes{from.as<int8_t>().data(), from.shape()[k], from.shape()[1 - k],
                    k == 0 ? row : 1, k == 0 ? 1 : row};
  pack_byte_panels(bytes, first, last, reinterpret_cast<int8_t*>(to));
}

}  // namespace

int64_t panel_count(const Shape& shape, const PackedArg& how) {
  return (shape[1 - how.k] + kPanel - 1) / kPanel;
}

int64_t panel_stride(const Shape& shape, const PackedArg& how) {
  if (is_encoded(how.type)) {
    const simd::PanelLayout& l = simd::panel_layout(how.type);
    return shape[how.k] / l.block * l.bytes;
  }
  return padded_depth(shape[how.k], how.panels) * kPanel;
}

int64_t packed_bytes(const Shape& shape, const PackedArg& how) {
  const int64_t bytes = is_encoded(how.type) ? 1 : bytes_of(how.type, 1);
  return panel_count(shape, how) * panel_stride(shape, how) * bytes;
}

void pack_panels(const HostArray& from, const PackedArg& how, int64_t first, int64_t last,
                 std::byte* bytes) {
  if (is_encoded(how.type)) return pack_encoded_panels(from, first, last, bytes);
  if (how.panels == Panels::Quads) return pack_bytes(from, how.k, first, last, bytes);
  auto* to = reinterpret_cast<uint16_t*>(bytes);
  const Matrix m{from.as<uint16_t>().data(), from.shape()[how.k], from.shape()[1 - how.k]};
  const int64_t depth = padded_depth(m.depth, how.panels);
  const bool pairs = how.panels == Panels::Pairs || how.panels == Panels::Swapped;
  // Rows: eight panels at a time, 512 bytes of each row, so that a page is not opened for one cache
  // line. Columns: blocks of k that stay in L1.
  if (how.k == 0)
    pack_all(m, depth, first, last, 8, pairs ? 2 : 1, row_packer(how.panels), to);
  else
    pack_all(m, depth, first, last, 1, 64, column_packer(how.panels), to);
}

}  // namespace tilewright::cpu
