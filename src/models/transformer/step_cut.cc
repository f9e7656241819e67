#include "tilewright/models/transformer/step_cut.h"

#include <algorithm>

namespace tilewright::models::transformer {

using namespace programs;

namespace {

// The largest divisor of `total` that is at most `most`; one of whole units first.
int64_t divisor(int64_t total, int64_t most, int64_t unit) {
  for (int64_t n = most / unit * unit; n >= unit; n -= unit)
    if (total % n == 0) return n;
  for (int64_t n = most; n > 1; --n)
    if (total % n == 0) return n;
  return total;
}

}  // namespace

int64_t Cut::columns(int64_t width) const { return divisor(width, t.columns, t.column_unit); }

Blocks Cut::blocks(int64_t width, int64_t columns, int64_t otherwise) const {
  const int64_t blocks = width / columns;
  if (t.stage_tasks == 0) return {columns, otherwise};
  return {columns, (blocks + t.stage_tasks - 1) / t.stage_tasks};
}

int64_t Cut::heads_of_block(int64_t heads) const {
  int64_t n = std::max<int64_t>(1, t.columns / m.head_dim);
  while (heads % n != 0) --n;
  return n;
}

Chain Cut::chain(int64_t depth) const {
  int64_t k_tile = depth;
  for (int64_t trips = 2; trips * t.depth_unit <= depth && k_tile == depth; ++trips)
    if (depth % (trips * t.depth_unit) == 0 && (t.depth == 0 || depth / trips <= t.depth))
      k_tile = depth / trips;
  if (t.depth != 0 && k_tile > t.depth) k_tile = divisor(depth, t.depth, 1);
  return {.depth = depth, .k_tile = k_tile, .stages = 2, .transposed = true};
}

RmsNorm Cut::norm() const {
  const int64_t k = t.norm_columns == 0 ? m.hidden : divisor(m.hidden, t.norm_columns, 1);
  return {.width = m.hidden, .k_tile = k, .stages = k == m.hidden ? 1 : 2, .eps = m.rms_norm_eps};
}

}  // namespace tilewright::models::transformer
