#include "tilewright/platform/cube_costs.h"

#include <algorithm>

namespace tilewright::platform {
namespace {

constexpr int64_t blocks_of(int64_t n, int64_t block) { return (n + block - 1) / block; }

// 24 -> 3: bank conflicts of the accumulator follow the odd part of its column blocks.
int64_t odd_part(int64_t n) {
  while (n > 1 && n % 2 == 0) n /= 2;
  return n;
}

}  // namespace

CubeCosts::CubeCosts(const Platform& p)
    : cube_(p.timing->cube),
      fixpipe_(p.timing->fixpipe),
      fractal_rows_(p.fractal_rows),
      fractal_bytes_(p.fractal_bytes) {}

double CubeCosts::multiply(int64_t m, int64_t k, int64_t n, DType operand) const {
  const int64_t depth = std::max<int64_t>(1, fractal_bytes_ * 8 / bits(operand));
  const double passes = operand == DType::F32 ? cube_.fp32_passes : 1.0;
  const auto fractals = static_cast<double>(blocks_of(m, fractal_rows_) * blocks_of(k, depth) *
                                            blocks_of(n, fractal_rows_));
  return cube_.mad_head_cycles + cube_.fractal_cycles * passes * fractals;
}

double CubeCosts::drain(int64_t rows, int64_t cols) const {
  const double columns = 4.0 * static_cast<double>(cols) / fixpipe_.bytes_per_cycle;
  const double odd = fixpipe_.odd_cycles * static_cast<double>(odd_part(blocks_of(cols, 8)) - 1);
  return fixpipe_.fixed_cycles +
         static_cast<double>(rows) * (std::max(fixpipe_.row_cycles, columns) + odd);
}

}  // namespace tilewright::platform
