#include "tilewright/cpu/ops/byte_product.h"

#include <algorithm>

#include "tilewright/cpu/bind/byte_panels.h"

namespace tilewright::cpu::ops {
namespace {

using simd::kPanel;
using simd::kQuad;

// The strides of rows and columns of a factor, as it is multiplied.
struct Strides {
  int64_t row, column;

  Strides(const Factor& f, const View& v)
      : row(v.stride[f.operand.dims() - (f.transposed ? 1 : 2)]),
        column(v.stride[f.operand.dims() - (f.transposed ? 2 : 1)]) {}
};

int64_t whole_quads(int64_t depth) { return (depth + kQuad - 1) / kQuad * kQuad; }

struct LeftBytes {
  const int8_t* data;
  int64_t stride;
};

// Rows in whole quads: as they lie in memory, or gathered and filled up with zeros.
LeftBytes left_bytes(Frame& f, const Factor& left, const View& view, int64_t base, int64_t m,
                     int64_t k) {
  const Strides s(left, view);
  const auto* from = reinterpret_cast<const int8_t*>(view.data) + base;
  if (s.column == 1 && k % kQuad == 0) return {from, s.row};
  const int64_t stride = whole_quads(k);
  auto* to = reinterpret_cast<int8_t*>(f.left);
  f.packed = {};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < stride; ++j)
      to[i * stride + j] = j < k ? from[i * s.row + j * s.column] : int8_t{0};
  return {to, stride};
}

// A right operand as it lies in memory is packed here, a panel at a time.
void multiply_as_it_lies(Frame& f, simd::ByteProduct p, const Right& r, int64_t k,
                         std::byte* scratch) {
  const Strides s(*r.factor, *r.view);
  const auto* data = reinterpret_cast<const int8_t*>(r.view->data) + r.base;
  const Bytes right{data, k, r.n, s.row, s.column};
  auto* packed = reinterpret_cast<int8_t*>(scratch);
  uint32_t* c = p.c;
  p.panels = packed;
  for (int64_t n = 0; n < r.n; n += kPanel) {
    pack_byte_panel(right, n / kPanel, 0, p.depth, packed);
    p.cols = std::min(kPanel, r.n - n);
    p.c = c + n;
    simd::multiply_bytes(*f.kernels, p);
  }
}

}  // namespace

int64_t byte_scratch(const Operand& right, int64_t depth) {
  return right.dtype == DType::I8 && !right.packed ? whole_quads(depth) * kPanel : 0;
}

void add_byte_products(Frame& f, const Factor& left, const View& view, int64_t base, int64_t m,
                       int64_t k, std::span<const Right> rights, std::byte* scratch) {
  const LeftBytes rows = left_bytes(f, left, view, base, m, k);
  for (const Right& r : rights) {
    const simd::ByteProduct p{rows.data,
                              rows.stride,
                              m,
                              whole_quads(k),
                              reinterpret_cast<const int8_t*>(r.view->data),
                              r.view->stride[0],
                              r.n,
                              reinterpret_cast<uint32_t*>(r.c),
                              r.c_stride};
    if (r.n == 0) continue;
    if (r.factor->operand.packed)
      simd::multiply_bytes(*f.kernels, p);
    else
      multiply_as_it_lies(f, p, r, k, scratch);
  }
}

}  // namespace tilewright::cpu::ops
