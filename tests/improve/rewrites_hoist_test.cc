// Loads that a loop repeats, and the same program with the loads before the loop.
#include "rewrite_cases.h"

namespace tilewright::improve::hoist_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

// A table that every group of rows is multiplied by, loaded for each of them.
void table(Builder& p, bool has) {
  const Tensor x = p.input("x", {128, 1024}, F32);
  const Tensor w = p.weight("w", {8, 1024}, F32);
  const Tensor y = p.output("y", {8, 1024}, F32);
  auto core = p.incore("rows");
  const Tile sum = p.full({8, 1024}, F32, 0.0);
  const auto group = [&](const Index& i, const Tile& factor) {
    const Tile t = slice(x, {8, 1024}, {i * 8, 0});
    assign(sum, add(sum, mul(t, factor)));
  };
  if (has) {
    for (Index i : p.range(16).named("i")) group(i, slice(w, {8, 1024}, {0, 0}));
  } else {
    const Tile factor = slice(w, {8, 1024}, {0, 0});
    for (Index i : p.range(16).named("i")) group(i, factor);
  }
  assemble(y, sum, {0, 0});
}

// 128 rows of the left operand for every block of 32 columns: 256 KiB that fit beside the right
// one.
void panel(Builder& p, bool has) {
  const Tensor x = p.input("x", {128, 1024}, BF16);
  const Tensor w = p.weight("w", {1024, 512}, BF16);
  const Tensor y = p.output("y", {128, 512}, F32);
  auto core = p.incore("product");
  const auto blocks = [&](const Tensor& left) {
    for (Index n : p.range(16).named("n")) {
      const Tile acc = p.accumulator({128, 32});
      for (Index k : p.range(8).named("k")) {
        const Tile a = slice(left, {128, 128}, {0, k * 128});
        const Tile b = slice(w, {128, 32}, {k * 128, n * 32});
        {
          auto yes = p.when(k == 0);
          assign(acc, matmul(a, b));
        }
        auto no = p.otherwise();
        matmul_acc(acc, a, b);
      }
      assemble(y, acc, {0, n * 32});
    }
  };
  if (has)
    blocks(x);
  else
    blocks(slice(x, {128, 1024}, {0, 0}));
}

// What the loop itself writes is loaded anew.
void written(Builder& p, bool) {
  const Tensor x = p.input("x", {64, 1024}, F32);
  const Tensor y = p.output("y", {64, 1024}, F32);
  const Tensor last = p.state("last", {8, 1024}, F32);
  auto core = p.incore("rows");
  for (Index i : p.range(8).named("i")) {
    const Tile t = add(slice(x, {8, 1024}, {i * 8, 0}), slice(last, {8, 1024}, {0, 0}));
    assemble(y, mul(t, Scalar(i)), {i * 8, 0});
    assemble(last, t, {0, 0});
  }
}

TEST(InvariantLoad, OfATableForEveryGroupOfRows) { expect_rewrite("invariant-load", table, 0.1); }
TEST(InvariantLoad, OfThePanelOfAProduct) { expect_rewrite("invariant-load", panel, 0.1); }
TEST(InvariantLoad, LeavesWhatTheLoopWrites) { expect_no_rewrite("invariant-load", written); }

}  // namespace
}  // namespace tilewright::improve::hoist_tests
