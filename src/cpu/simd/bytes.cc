#include "tilewright/cpu/simd/bytes.h"

#include <array>

namespace tilewright::cpu::simd {

void multiply_bytes_plain(const ByteProduct& p) {
  for (int64_t m = 0; m < p.rows; ++m)
    for (int64_t n = 0; n < p.cols; ++n) {
      const int8_t* panel = p.panels + n / kPanel * p.panel_stride;
      uint32_t sum = 0;
      for (int64_t k = 0; k < p.depth; ++k)
        sum += static_cast<uint32_t>(p.left[m * p.left_stride + k] *
                                     panel[byte_position(k, n % kPanel)]);
      p.c[m * p.c_stride + n] += sum;
    }
}

bool multiplies_bytes_as_plain(const Kernels& table) {
  constexpr int64_t kRows = 3, kDepth = 8 * kQuad;
  std::array<int8_t, kRows * kDepth> left{};
  std::array<int8_t, kDepth * kPanel> panel{};
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int8_t>(i * 37 + 128);
  for (std::size_t i = 0; i < panel.size(); ++i) panel[i] = static_cast<int8_t>(i * 11 + 128);
  std::array<uint32_t, kRows * kPanel> expected{}, found{};
  ByteProduct p{left.data(), kDepth, kRows,           kDepth, panel.data(),
                0,           kPanel, expected.data(), kPanel};
  multiply_bytes_plain(p);
  p.c = found.data();
  table.multiply_bytes(p);
  return found == expected;
}

}  // namespace tilewright::cpu::simd
