// Wider tiles: loops that can take several iterations at once, and loops that cannot.
#include "rewrite_cases.h"

#include "tilewright/improve/rewrites/rewrites.h"

namespace tilewright::improve::tile_size_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

// K in tiles of 64, or all of it; the first product before the loop.
void first_product_before(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, BF16);
  const Tensor w = p.weight("w", {1024, 64}, BF16);
  const Tensor y = p.output("y", {16, 64}, F32);
  const int64_t tile = has ? 64 : 1024;
  auto core = p.incore("product");
  const Tile acc = matmul(slice(x, {16, tile}, {0, 0}), slice(w, {tile, 64}, {0, 0}));
  for (Index k : p.range(1, 1024 / tile).named("k"))
    matmul_acc(acc, slice(x, {16, tile}, {0, k * tile}), slice(w, {tile, 64}, {k * tile, 0}));
  assemble(y, acc, {0, 0});
}

void first_product_in_branch(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, BF16);
  const Tensor w = p.weight("w", {1024, 64}, BF16);
  const Tensor y = p.output("y", {16, 64}, F32);
  const int64_t tile = has ? 64 : 1024;
  auto core = p.incore("product");
  const Tile acc = p.accumulator({16, 64});
  for (Index k : p.range(0, 1024, tile).named("k")) {
    const Tile a = slice(x, {16, tile}, {0, k});
    const Tile b = slice(w, {tile, 64}, {k, 0});
    {
      auto yes = p.when(k == 0);
      assign(acc, matmul(a, b));
    }
    {
      auto no = p.otherwise();
      matmul_acc(acc, a, b);
    }
  }
  assemble(y, acc, {0, 0});
}

// Output columns in tiles of 64, through a temporary in GM to a second scope.
void columns(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 128}, BF16);
  const Tensor w = p.weight("w", {128, 4096}, BF16);
  const Tensor bias = p.weight("bias", {1, 4096}, F32);
  const Tensor y = p.output("y", {16, 4096}, F32);
  const int64_t tile = has ? 64 : 1024;
  for (Index n : p.parallel(4096 / tile).named("n")) {
    const Tensor part = p.tensor("part", {16, tile}, F32);
    {
      auto core = p.incore("product");
      assemble(part, matmul(slice(x, {16, 128}, {0, 0}), slice(w, {128, tile}, {0, n * tile})),
               {0, 0});
    }
    auto core = p.incore("finish");
    const Tile biased =
        col_expand_add(slice(part, {16, tile}, {0, 0}), slice(bias, {1, tile}, {0, n * tile}));
    assemble(y, exp(mul(biased, 0.01)), {0, n * tile});
  }
}

// A sum of squares in tiles of 64 columns, then rows scaled by it.
void norm(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor y = p.output("y", {16, 1024}, F32);
  const int64_t tile = has ? 64 : 1024;
  auto core = p.incore("norm");
  const Tile sum = p.full({1, 16}, F32, 0.0);
  for (Index k : p.range(1024 / tile).named("k")) {
    const Tile t = slice(x, {16, tile}, {0, k * tile});
    assign(sum, add(sum, reshape(row_sum(mul(t, t)), {1, 16})));
  }
  const Tile scale = reshape(rsqrt(add(mul(sum, 1.0 / 1024), 1e-6)), {16, 1});
  for (Index k : p.range(1024 / tile).named("j"))
    assemble(y, row_expand_mul(slice(x, {16, tile}, {0, k * tile}), scale), {0, k * tile});
}

void single_row_tiles(Builder& p, bool has) {
  const Tensor x = p.input("x", {64, 128}, F32);
  const Tensor weight = p.input("weight", {1, 128}, F32);
  const Tensor y = p.output("y", {64, 128}, F32);
  const int64_t rows = has ? 1 : 64;
  auto core = p.incore("rows");
  for (Index r : p.range(64 / rows).named("r")) {
    const Tile t = slice(x, {rows, 128}, {r * rows, 0});
    const Tile mean = mul(row_sum(t), 1.0 / 128);
    const Tile centred = row_expand_sub(t, mean);
    assemble(y, col_expand_mul(centred, slice(weight, {1, 128}, {0, 0})), {r * rows, 0});
  }
}

// Softmax over blocks with a running maximum and sum.
void online_softmax(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor v = p.input("v", {1024, 64}, BF16);
  const Tensor y = p.output("y", {16, 64}, F32);
  const int64_t tile = has ? 64 : 1024;
  auto core = p.incore("attend");
  const Tile top = p.full({16, 1}, F32, -1e30);
  const Tile sum = p.full({16, 1}, F32, 0.0);
  const Tile out = p.full({16, 64}, F32, 0.0);
  for (Index k : p.range(1024 / tile).named("k")) {
    const Tile t = slice(x, {16, tile}, {0, k * tile});
    const Tile higher = maximum(top, row_max(t));
    const Tile old = exp(sub(top, higher));
    const Tile e = exp(row_expand_sub(t, higher));
    const Tile kept = mul(sum, old);
    assign(sum, add(kept, row_sum(e)));
    const Tile product = matmul(cast(e, BF16), slice(v, {tile, 64}, {k * tile, 0}));
    const Tile before = row_expand_mul(out, old);
    assign(out, add(before, product));
    assign(top, higher);
  }
  assemble(y, row_expand_div(out, sum), {0, 0});
}

TEST(TileSize, ProductsWithTheFirstBeforeTheLoop) {
  expect_rewrite("tile-size", first_product_before, 0.3);
}
TEST(TileSize, ProductsWithTheFirstInABranch) {
  expect_rewrite("tile-size", first_product_in_branch, 0.3);
}
TEST(TileSize, ColumnsOfTheResultThroughTwoScopes) { expect_rewrite("tile-size", columns, 0.3); }
TEST(TileSize, SumsOfRows) { expect_rewrite("tile-size", norm, 0.2); }
TEST(TileSize, RowsOfATile) { expect_rewrite("tile-size", single_row_tiles, 0.5); }
TEST(TileSize, SoftmaxInBlocks) { expect_rewrite("tile-size", online_softmax, 0.2); }

// ---- loops that stay as they are
// -----------------------------------------------------------------

// Each block is scaled by its own sum: of a longer block it would be another.
void own_norm(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor y = p.output("y", {16, 1024}, F32);
  auto core = p.incore("heads");
  for (Index h : p.range(8).named("h")) {
    const Tile t = slice(x, {16, 128}, {0, h * 128});
    const Tile scale = rsqrt(add(row_sum(mul(t, t)), 1e-6));
    assemble(y, row_expand_mul(t, scale), {0, h * 128});
  }
}

// Windows with gaps between them, and overlapping ones.
void apart(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor y = p.output("y", {16, 512}, F32);
  auto core = p.incore("even");
  for (Index i : p.range(8).named("i"))
    assemble(y, exp(slice(x, {16, 64}, {0, i * 128})), {0, i * 64});
}

// The same product again and again: their number is part of the result.
void counted(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 512}, F32);
  const Tensor y = p.output("y", {16, 512}, F32);
  const Tensor z = p.output("z", {16, 64}, F32);
  auto core = p.incore("count");
  const Tile sum = p.full({16, 64}, F32, 0.0);
  const Tile step = slice(x, {16, 64}, {0, 0});
  for (Index i : p.range(8).named("i")) {
    assemble(y, exp(slice(x, {16, 64}, {0, i * 64})), {0, i * 64});
    assign(sum, add(sum, step));
  }
  assemble(z, sum, {0, 0});
}

// Blocks of the diagonal: twice the side is four times the area.
void diagonal(Builder& p, bool) {
  const Tensor x = p.input("x", {256, 256}, F32);
  const Tensor y = p.output("y", {256, 32}, F32);
  auto core = p.incore("diagonal");
  for (Index i : p.range(8).named("i"))
    assemble(y, exp(slice(x, {32, 32}, {i * 32, i * 32})), {i * 32, 0});
}

// The number of the iteration is a value.
void numbered(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 512}, F32);
  const Tensor y = p.output("y", {16, 512}, F32);
  auto core = p.incore("number");
  for (Index i : p.range(8).named("i"))
    assemble(y, mul(slice(x, {16, 64}, {0, i * 64}), Scalar(i)), {0, i * 64});
}

TEST(TileSize, LeavesBlocksWithASumOfTheirOwn) { expect_no_rewrite("tile-size", own_norm); }
TEST(TileSize, LeavesWindowsWithGaps) { expect_no_rewrite("tile-size", apart); }
TEST(TileSize, LeavesSumsThatCountIterations) { expect_no_rewrite("tile-size", counted); }
TEST(TileSize, LeavesBlocksOfTheDiagonal) { expect_no_rewrite("tile-size", diagonal); }
TEST(TileSize, LeavesLoopsWhoseNumberIsAValue) { expect_no_rewrite("tile-size", numbered); }

}  // namespace
}  // namespace tilewright::improve::tile_size_tests
