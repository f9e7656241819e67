#include "tilewright/cpu/ops/encoded_product.h"

#include <algorithm>

#include "tilewright/cpu/bind/encoded_panels.h"

namespace tilewright::cpu::ops {
namespace {

using simd::kLeftChunk;
using simd::kPanel;
using simd::PanelLayout;

// Bytes of the left operand that are used at a time, and k at least: as for other products.
constexpr int64_t kLeftBytes = 512 * 1024;
constexpr int64_t kShortest = 2048;

int64_t stretch(int64_t rows) {
  const int64_t chunks = kLeftBytes / static_cast<int64_t>(sizeof(simd::QuantisedChunk)) / rows;
  return std::max(kShortest, chunks * kLeftChunk);
}

int64_t chunk_bytes(const PanelLayout& l) { return kLeftChunk / l.block * l.bytes; }

// A weight that was not packed when it was bound: packed here, a chunk at a time.
void multiply_as_it_lies(Frame& f, simd::EncodedProduct p, const Right& r, std::byte* packed) {
  const PanelLayout& l = *p.layout;
  const Operand& o = r.factor->operand;
  const int64_t column_bytes = r.view->stride[o.dims() - 2] * o.bytes;
  const int64_t cols = p.cols, depth = p.depth;
  const simd::QuantisedChunk* left = p.left;
  float* c = p.c;
  p.panels = packed;
  for (int64_t n = 0; n < cols; n += kPanel)
    for (int64_t k = 0; k < depth; k += kLeftChunk) {
      p.cols = std::min(kPanel, cols - n);
      p.depth = std::min(kLeftChunk, depth - k);
      const std::byte* from =
          r.view->data + r.base / o.block * o.bytes + n * column_bytes + k / l.block * o.bytes;
      for (int64_t b = 0; b < p.depth / l.block; ++b)
        pack_encoded_block(l, from + b * o.bytes, column_bytes, p.cols, packed + b * l.bytes);
      p.left = left + k / kLeftChunk * p.rows;
      p.c = c + n;
      simd::multiply_encoded(*f.kernels, p);
    }
}

}  // namespace

int64_t encoded_scratch(const Operand& right) {
  return is_encoded(right.dtype) && !right.packed ? chunk_bytes(simd::panel_layout(right.dtype))
                                                  : 0;
}

void multiply_encoded(Frame& f, const QuantisedLeft& left, const Right& r, std::byte* scratch) {
  const Operand& o = r.factor->operand;
  const PanelLayout& l = simd::panel_layout(o.dtype);
  simd::EncodedProduct p{left.chunks,       left.rows, left.depth, &l,        r.view->data,
                         r.view->stride[0], r.n,       r.c,        r.c_stride};
  if (!o.packed) return multiply_as_it_lies(f, p, r, scratch);
  const int64_t most = stretch(left.rows);
  for (int64_t k = 0; k < left.depth; k += most) {
    p.left = left.chunks + k / kLeftChunk * left.rows;
    p.depth = std::min(most, left.depth - k);
    p.panels = r.view->data + k / l.block * l.bytes;
    simd::multiply_encoded(*f.kernels, p);
  }
}

}  // namespace tilewright::cpu::ops
