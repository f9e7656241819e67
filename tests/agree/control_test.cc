// Loops, branches and scalars inside kernels, and what only the data shows when it runs.
#include "agree.h"

namespace agree_test {
namespace {

TEST(Control, LoopsBranchesAndReads) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {8, 16}, DType::F32);
    const Tensor n = p.input("n", {4}, DType::I32);
    const Tensor y = p.state("y", {8, 16}, DType::F32);
    for (Index i : p.parallel(4).named("i")) {
      const Index count = p.read(n, {i});
      auto core = p.incore("rows");
      const Tile sum = p.full({1, 16}, DType::F32, 0.0);
      for (Index r : p.range(count + 1).named("r")) {
        {
          auto even = p.when(r % 2 == 0);
          assign(sum, add(sum, slice(x, {1, 16}, {r, 0})));
        }
        {
          auto odd = p.otherwise();
          assign(sum, sub(sum, slice(x, {1, 16}, {r, 0})));
        }
      }
      assemble(y, sum, {2 * i, 0});
    }
  });
}

TEST(Control, ValidShapesFromData) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {16, 32}, DType::BF16);
    const Tensor k = p.input("k", {64, 32}, DType::BF16);
    const Tensor n = p.input("n", {4}, DType::I32);
    const Tensor y = p.state("y", {16, 64}, DType::F32);
    for (Index i : p.parallel(4).named("i")) {
      const Index rows = p.read(n, {i}) + 1;
      auto core = p.incore("scores");
      const Tile a = slice(x, {4, 32}, {i * 4, 0});
      const Tile b = slice(k, {16, 32}, {i * 16, 0}, {.valid_shape = {rows, 32}});
      assemble(y, matmul(a, b, {.b_trans = true}), {i * 4, 0});
    }
  });
}

}  // namespace
}  // namespace agree_test
