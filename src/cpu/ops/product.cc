#include "tilewright/cpu/ops/product.h"

#include <algorithm>

#include "tilewright/cpu/numbers.h"

namespace tilewright::cpu::ops {
namespace {

// Numbers of the left operand that are widened at a time: 512 KiB, which stay in L2 while the
// weights stream by. Without stretches the left operand of a down projection, 1.6 MiB for sixteen
// rows, is read again from L3 for every panel; short stretches break the stream of the weights.
constexpr int64_t kLeftNumbers = 128 * 1024;
constexpr int64_t kShortest = 2048;

int64_t stretch(int64_t m) { return std::max(kShortest, kLeftNumbers / m / 64 * 64); }

// Rows a multiple of 4 KiB apart would share the same few sets of L1: one cache line more moves
// them on.
int64_t padded(int64_t k) { return (k + 15) / 16 * 16 + 16; }

// Bytes of m widened rows; up to m of them, whatever the stretch then is.
int64_t left_bytes(int64_t m, int64_t depth) { return m * padded(depth) * 4; }
int64_t most_left_bytes(int64_t m, int64_t k) {
  return std::min(left_bytes(m, k), 4 * (std::max(kLeftNumbers, kShortest * m) + 32 * m));
}

struct Rows {
  const float* data;
  int64_t stride;
};

// Elements [k0, k0 + k) of m rows; in place when they are rows of FP32 already.
Rows float_rows(Frame& f, const Factor& left, const View& v, int64_t base, int64_t m, int64_t k0,
                int64_t k) {
  const Operand& o = left.operand;
  const int64_t row = v.stride[o.dims() - (left.transposed ? 1 : 2)];
  const int64_t step = v.stride[o.dims() - (left.transposed ? 2 : 1)];
  const std::byte* data = v.data + (base + k0 * step) * o.bytes;
  if (o.dtype == DType::F32 && step == 1) return {reinterpret_cast<const float*>(data), row};
  auto* rows = reinterpret_cast<float*>(f.scratch);
  const int64_t stride = padded(k);
  for (int64_t i = 0; i < m; ++i) {
    float* out = rows + i * stride;
    const float* in = float_row(*f.kernels, o.dtype, data + i * row * o.bytes, step, k, out);
    if (in != out) std::copy_n(in, k, out);
  }
  return {rows, stride};
}

void multiply(Frame& f, const simd::Product& p, const Right& r, int64_t k0, int64_t m) {
  const simd::Kernels& kernels = *f.kernels;
  const Operand& o = r.factor->operand;
  if (o.packed) {
    const auto* panels = reinterpret_cast<const uint16_t*>(r.view->data) + k0 * simd::kPanel;
    return kernels.multiply_panels(p, panels, r.view->stride[0]);
  }
  int64_t stride = r.view->stride[o.dims() - 2];
  const int64_t first = r.base + (r.factor->transposed ? k0 : k0 * stride);
  const std::byte* data = r.view->data + first * o.bytes;
  if (o.dtype == DType::BF16) {
    const auto* bits = reinterpret_cast<const uint16_t*>(data);
    return r.factor->transposed ? kernels.multiply_transposed_bf16(p, bits, stride)
                                : kernels.multiply_rows_bf16(p, bits, stride);
  }
  if (o.dtype == DType::F16) {
    auto* widened = reinterpret_cast<float*>(f.scratch + left_bytes(m, p.depth));
    const int64_t rows = r.factor->transposed ? p.cols : p.depth;
    const int64_t cols = r.factor->transposed ? p.depth : p.cols;
    for (int64_t i = 0; i < rows; ++i)
      float_row(kernels, DType::F16, data + i * stride * 2, 1, cols, widened + i * cols);
    data = reinterpret_cast<const std::byte*>(widened);
    stride = cols;
  }
  const auto* floats = reinterpret_cast<const float*>(data);
  return r.factor->transposed ? kernels.multiply_transposed_f32(p, floats, stride)
                              : kernels.multiply_rows_f32(p, floats, stride);
}

}  // namespace

int64_t product_scratch(const Factor& right, int64_t m, int64_t k, int64_t n) {
  const bool widens = right.operand.dtype == DType::F16;
  return most_left_bytes(m, k) + (widens ? std::min(k, stretch(1)) * n * 4 : 0);
}

void add_products(Frame& f, const Factor& left, const View& view, int64_t base, int64_t m,
                  int64_t k, std::span<const Right> rights) {
  const int64_t most = stretch(m);
  for (int64_t k0 = 0; k0 < k; k0 += most) {
    const int64_t depth = std::min(most, k - k0);
    const Rows a = float_rows(f, left, view, base, m, k0, depth);
    for (const Right& r : rights)
      multiply(f, {a.data, a.stride, m, depth, r.n, r.c, r.c_stride}, r, k0, m);
  }
}

}  // namespace tilewright::cpu::ops
