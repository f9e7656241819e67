#include "tilewright/cpu/ops/left.h"

#include "tilewright/cpu/numbers.h"

namespace tilewright::cpu::ops {
namespace {

// Rows a multiple of 4 KiB apart would share the same few sets of L1: one cache line more moves
// them on.
int64_t padded(int64_t k) { return (k + 15) / 16 * 16 + 16; }

}  // namespace

int64_t left_bytes(int64_t m, int64_t k) { return m * padded(k) * 4; }

Left float_left(Frame& f, const Operand& o, const View& v, int64_t base, int64_t m, int64_t k,
                bool transposed) {
  const int64_t row_stride = v.stride[o.dims() - (transposed ? 1 : 2)];
  const int64_t step = v.stride[o.dims() - (transposed ? 2 : 1)];
  const std::byte* data = v.data + base * o.bytes;
  if (o.dtype == DType::F32 && step == 1)
    return {reinterpret_cast<const float*>(data), row_stride};
  auto* rows = reinterpret_cast<float*>(f.scratch);
  const int64_t stride = padded(k);
  for (int64_t i = 0; i < m; ++i)
    float_row(*f.kernels, o.dtype, data + i * row_stride * o.bytes, step, k, rows + i * stride);
  return {rows, stride};
}

}  // namespace tilewright::cpu::ops
