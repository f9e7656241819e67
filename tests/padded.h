// Rows of Q padded for the cube and never written: the product has rows that nobody looks at, and
// inside the last kernel a tile is read of which half is undefined. Used by the tests of every
// executor.
#pragma once

#include "tilewright/dsl/ops.h"

namespace padded {

inline void program(tilewright::dsl::Builder& p) {
  using namespace tilewright;
  using namespace tilewright::dsl;
  const Tensor q = p.input("q", {8, 64}, DType::BF16);
  const Tensor k = p.input("k", {32, 64}, DType::BF16);
  const Tensor y = p.output("y", {8, 32}, DType::F32);
  const Tensor sums = p.output("sums", {8, 1}, DType::F32);
  const Tensor slab = p.tensor("slab", {16, 64}, DType::BF16);
  const Tensor scores = p.tensor("scores", {16, 32}, DType::F32);
  {
    auto core = p.incore("pad");
    assemble(slab, slice(q, {8, 64}, {0, 0}), {0, 0});
  }
  {
    auto core = p.incore("qk");
    assemble(scores,
             matmul(slice(slab, {16, 64}, {0, 0}), slice(k, {32, 64}, {0, 0}), {.b_trans = true}),
             {0, 0});
  }
  auto core = p.incore("rows");
  const Tile both = p.tile({16, 32}, DType::F32, MemorySpace::Vec);
  assemble(both, mul(slice(scores, {8, 32}, {0, 0}), 0.125), {0, 0});
  const Tile shifted = row_expand_sub(both, row_max(both));
  assemble(y, slice(shifted, {8, 32}, {0, 0}), {0, 0});
  assemble(sums, row_sum(slice(shifted, {8, 32}, {0, 0})), {0, 0});
}

}  // namespace padded
