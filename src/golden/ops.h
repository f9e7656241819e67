// One function per operation of the language, by family as in the files; compute.cc chooses. Each
// gives the whole new value of the destination; write_window alone changes it in place.
#pragma once

#include "tilewright/golden/call.h"

namespace tilewright::golden::ops {

// The new value of the destination of any op but those that write a window of it.
Tile compute(Call& c);
constexpr bool writes_window(ir::OpKind k) {
  return k == ir::OpKind::Assemble || k == ir::OpKind::Store;
}

// ---- memory ----
Tile create(Call& c);
Tile full(Call& c);
Tile window(Call& c);        // slice, load
void write_window(Call& c);  // assemble, store
Tile copy(Call& c);          // copy, move

// ---- layout ----
Tile reshape(Call& c);
Tile concat(Call& c);
Tile transpose(Call& c);
Tile fillpad(Call& c);
Tile set_validshape(Call& c);
Tile cast(Call& c);
Tile transposed(const Tile& x);

// ---- matmul ----
Tile matmul(Call& c);  // also gemv, which is a matmul of one row
Tile matmul_acc(Call& c);
Tile matmul_bias(Call& c);

// ---- elementwise; the expand forms are these with a vector operand ----
Tile add(Call& c);
Tile sub(Call& c);
Tile mul(Call& c);
Tile div(Call& c);
Tile fmod(Call& c);
Tile maximum(Call& c);
Tile minimum(Call& c);
Tile cmp(Call& c);
Tile neg(Call& c);
Tile abs(Call& c);
Tile exp(Call& c);
Tile log(Call& c);
Tile sqrt(Call& c);
Tile recip(Call& c);
Tile rsqrt(Call& c);
Tile expand(Call& c);  // the vector itself, repeated

// ---- reduce ----
Tile row_sum(Call& c);
Tile row_max(Call& c);
Tile row_min(Call& c);
Tile row_argmax(Call& c);
Tile row_argmin(Call& c);
Tile col_sum(Call& c);
Tile col_max(Call& c);
Tile col_min(Call& c);

// ---- sort ----
Tile arange(Call& c);
Tile sort32(Call& c);
Tile mrgsort(Call& c);
Tile gather_mask(Call& c);
Tile gather(Call& c);
Tile scatter_mask(Call& c);

}  // namespace tilewright::golden::ops
