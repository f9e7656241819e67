#include "tilewright/cpu/bind/byte_panels.h"

#include <algorithm>

namespace tilewright::cpu {

using simd::kPanel;
using simd::kQuad;

void pack_byte_panel(const Bytes& from, int64_t panel, int64_t k0, int64_t step, int8_t* to) {
  const int64_t first = panel * kPanel;
  const bool whole = first + kPanel <= from.columns && k0 + step <= from.depth;
  for (int64_t k = k0; k < k0 + step; k += kQuad) {
    int8_t* quads = to + simd::byte_position(k, 0);
    const int8_t* at = from.data + k * from.k_stride + first * from.column_stride;
    for (int64_t c = 0; c < kPanel; ++c)
      for (int64_t i = 0; i < kQuad; ++i) {
        const bool real = whole || (first + c < from.columns && k + i < from.depth);
        quads[c * kQuad + i] = real ? at[i * from.k_stride + c * from.column_stride] : int8_t{0};
      }
  }
}

void pack_byte_panels(const Bytes& from, int64_t first, int64_t last, int8_t* to) {
  // Rows that lie side by side: sixteen panels at a time, 512 bytes of each row, so that a page is
  // not opened for one cache line. Columns: blocks of k that stay in L1.
  const bool in_rows = from.column_stride == 1;
  const int64_t together = in_rows ? 16 : 1;
  const int64_t step = in_rows ? kQuad : simd::kGroupK;
  const int64_t depth = simd::whole_groups(from.depth);
  for (int64_t group = first; group < last; group += together)
    for (int64_t k = 0; k < depth; k += step)
      for (int64_t panel = group; panel < std::min(last, group + together); ++panel)
        pack_byte_panel(from, panel, k, step, to + panel * depth * kPanel);
}

}  // namespace tilewright::cpu
