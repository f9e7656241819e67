#include "small_programs.h"

namespace exact_test {

using namespace tilewright;
using namespace tilewright::dsl;

void softmax(Builder& p) {
  const Tensor x = p.input("x", {32, 64}, DType::F32);
  const Tensor y = p.output("y", {32, 64}, DType::F32);
  auto core = p.incore("softmax");
  for (Index i : p.pipeline(4, {.stages = 2})) {
    const Tile rows = slice(x, {8, 64}, {i * 8, 0});
    const Tile powers = exp(row_expand_sub(rows, row_max(rows)));
    assemble(y, row_expand_div(powers, row_sum(powers)), {i * 8, 0});
  }
}

void product(Builder& p) {
  const Tensor x = p.input("x", {16, 256}, DType::BF16);
  const Tensor w = p.weight("w", {256, 32}, DType::BF16);
  const Tensor y = p.output("y", {16, 32}, DType::F32);
  auto core = p.incore("product");
  const Tile sum = p.full({16, 32}, DType::F32, 0.0);
  for (Index k : p.pipeline(8, {.stages = 3}))
    matmul_acc(sum, slice(x, {16, 32}, {0, k * 32}), slice(w, {32, 32}, {k * 32, 0}));
  assemble(y, sum, {0, 0});
}

void attention(Builder& p) {
  const Tensor q = p.input("q", {16, 32}, DType::BF16);
  const Tensor k = p.input("k", {192, 32}, DType::BF16);
  const Tensor y = p.output("y", {16, 32}, DType::F32);
  auto core = p.at(Level::CoreGroup, "attention");
  const Tile sum = p.full({16, 32}, DType::F32, 0.0);
  for (Index i : p.pipeline(6, {.stages = 2})) {
    const Tile keys = slice(k, {32, 32}, {i * 32, 0});
    const Tile weights = exp(mul(matmul(q, keys, {.b_trans = true}), 0.1));
    assign(sum, add(sum, matmul(cast(weights, DType::BF16), keys)));
  }
  assemble(y, sum, {0, 0});
}

}  // namespace exact_test
