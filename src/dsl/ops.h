// The operations of the language as free functions, with the names kernel authors already use.
// docs/language.md gives each one's rule, meaning and precision.
#pragma once

#include <optional>

#include "tilewright/dsl/builder.h"

namespace tilewright::dsl {

using ir::CastMode;
using ir::Pad;

// ---- memory ----
struct SliceOptions {
  Indices valid_shape = {};  // the leading part that is real; empty = all of it
  Pad pad = Pad::Null;       // what a later fillpad would write; kept for listings
};
Tensor slice(const Tensor& x, const Shape& shape, const Indices& offset, const SliceOptions& o = {},
             Here here = {});
struct LoadOptions {
  Indices valid_shape = {};
  MemorySpace target = MemorySpace::Vec;
  bool transpose = false;  // needs target Mat
};
Tile load(const Tensor& x, const Indices& offset, const Shape& shape, const LoadOptions& o = {},
          Here here = {});
// Writes the valid region of `src` into a window of `dst`.
void assemble(const Tensor& dst, const Tensor& src, const Indices& offset, Here here = {});
void assemble_add(const Tensor& dst, const Tensor& src, const Indices& offset, Here here = {});
void store(const Tile& tile, const Indices& offset, const Tensor& dst, Here here = {});
Tile move(const Tile& x, MemorySpace target, Here here = {});
// dst becomes value: how a loop carries a result, and how a whole tensor is written.
void assign(const Tensor& dst, const Tensor& value, Here here = {});
void assign(const Tensor& dst, Tensor&& value, Here here = {});  // no copy: dst is made directly

// ---- layout ----
Tensor reshape(const Tensor& x, const Shape& shape, Here here = {});
Tile concat(const Tile& a, const Tile& b, Here here = {});
Tile transpose(const Tile& x, Here here = {});
Tile fillpad(const Tile& x, Pad pad, Here here = {});
Tile set_validshape(const Tile& x, const Indices& valid, Here here = {});
Tile cast(const Tile& x, DType dtype, CastMode mode = CastMode::Rint, Here here = {});

// ---- matmul ----
struct MatmulOptions {
  std::optional<DType> out_dtype = {};  // FP32 (INT32 for integers) unless told otherwise
  bool a_trans = false;
  bool b_trans = false;
};
Tile matmul(const Tile& a, const Tile& b, const MatmulOptions& o = {}, Here here = {});
void matmul_acc(const Tile& acc, const Tile& a, const Tile& b, const MatmulOptions& o = {},
                Here here = {});
Tile matmul_bias(const Tile& a, const Tile& b, const Tile& bias, const MatmulOptions& o = {},
                 Here here = {});
Tile gemv(const Tile& a, const Tile& b, const MatmulOptions& o = {}, Here here = {});

// ---- elementwise ----
Tile add(const Tile& a, const Tile& b, Here here = {});
Tile add(const Tile& a, const Scalar& s, Here here = {});
Tile sub(const Tile& a, const Tile& b, Here here = {});
Tile sub(const Tile& a, const Scalar& s, Here here = {});
Tile mul(const Tile& a, const Tile& b, Here here = {});
Tile mul(const Tile& a, const Scalar& s, Here here = {});
Tile div(const Tile& a, const Tile& b, Here here = {});
Tile div(const Tile& a, const Scalar& s, Here here = {});
Tile fmod(const Tile& a, const Tile& b, Here here = {});
Tile fmod(const Tile& a, const Scalar& s, Here here = {});
Tile maximum(const Tile& a, const Tile& b, Here here = {});
Tile maximum(const Tile& a, const Scalar& s, Here here = {});
Tile minimum(const Tile& a, const Tile& b, Here here = {});
Tile minimum(const Tile& a, const Scalar& s, Here here = {});
Tile cmp(const Tile& a, const Tile& b, ir::Compare how, Here here = {});
Tile cmp(const Tile& a, const Scalar& s, ir::Compare how, Here here = {});
Tile neg(const Tile& x, Here here = {});
Tile abs(const Tile& x, Here here = {});
Tile exp(const Tile& x, Here here = {});
Tile log(const Tile& x, Here here = {});
Tile sqrt(const Tile& x, Here here = {});
Tile recip(const Tile& x, Here here = {});
Tile rsqrt(const Tile& x, bool high_precision = false, Here here = {});
// The vector in the shape of `target`, whose elements are not read.
Tile row_expand(const Tile& target, const Tile& v, Here here = {});
Tile col_expand(const Tile& target, const Tile& v, Here here = {});
Tile row_expand_add(const Tile& x, const Tile& v, Here here = {});
Tile row_expand_sub(const Tile& x, const Tile& v, Here here = {});
Tile row_expand_mul(const Tile& x, const Tile& v, Here here = {});
Tile row_expand_div(const Tile& x, const Tile& v, Here here = {});
Tile col_expand_add(const Tile& x, const Tile& v, Here here = {});
Tile col_expand_sub(const Tile& x, const Tile& v, Here here = {});
Tile col_expand_mul(const Tile& x, const Tile& v, Here here = {});
Tile col_expand_div(const Tile& x, const Tile& v, Here here = {});

// ---- reduce ----
Tile row_sum(const Tile& x, Here here = {});
Tile row_max(const Tile& x, Here here = {});
Tile row_min(const Tile& x, Here here = {});
// INT32: the column of the largest or smallest element of each row, the first of several.
Tile row_argmax(const Tile& x, Here here = {});
Tile row_argmin(const Tile& x, Here here = {});
Tile col_sum(const Tile& x, Here here = {});
Tile col_max(const Tile& x, Here here = {});
Tile col_min(const Tile& x, Here here = {});

// ---- sort ----
// Each run of 32 is sorted descending; the result interleaves (value, index bits).
Tile sort32(const Tile& x, const Tile& index, Here here = {});
Tile mrgsort(const Tile& pairs, int64_t block_len, Here here = {});
Tile mrgsort(const Tile& a, const Tile& b, Here here = {});
Tile gather_mask(const Tile& pairs, ir::MaskPattern mask, DType dtype, Here here = {});
Tile gather(const Tile& x, const Tile& index, Here here = {});
// `into` with its even or odd columns replaced by those of `x`.
Tile scatter_mask(const Tile& x, ir::MaskPattern mask, const Tile& into, Here here = {});

}  // namespace tilewright::dsl
