#include "tilewright/compile/tile_bytes.h"

#include <algorithm>

namespace tilewright::compile {
namespace {

constexpr int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

int64_t tile_bytes(const ir::Var& v, const platform::Platform& platform) {
  int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < v.shape.size(); ++i) rows *= v.shape[i];
  int64_t cols = v.shape.back();
  const int64_t element_bits = bits(v.dtype);
  if (is_cube_space(*v.space) && *v.space != MemorySpace::Bias) {
    const int64_t c0 = platform.fractal_bytes * 8 / element_bits;
    const bool integer_sums = *v.space == MemorySpace::Acc && !is_float(v.dtype);
    rows = round_up(rows, integer_sums ? platform.integer_acc_rows.value_or(platform.fractal_rows)
                                       : platform.fractal_rows);
    cols = round_up(cols, std::max(c0, platform.fractal_rows));
  }
  // The cube accumulates in 32 bits whatever the result is rounded to.
  const int64_t width = *v.space == MemorySpace::Acc ? 32 : element_bits;
  const platform::Memory* m = platform.memory(*v.space);
  return round_up((rows * cols * width + 7) / 8, m ? m->alignment : 1);
}

}  // namespace tilewright::compile
