// Rows through the cube that hold no data.
#include "rewrite_cases.h"

namespace tilewright::improve::padded_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

// Groups of 4 rows, each multiplied by the same weights: four groups are one product.
void groups(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 512}, BF16);
  const Tensor w = p.weight("w", {512, 64}, BF16);
  const Tensor y = p.output("y", {16, 64}, F32);
  const int64_t rows = has ? 4 : 16;
  auto core = p.incore("product");
  for (Index g : p.range(16 / rows).named("g"))
    assemble(y, matmul(slice(x, {rows, 512}, {g * rows, 0}), slice(w, {512, 64}, {0, 0})),
             {g * rows, 0});
}

// Scores of 8 rows that are padded to 16; the padding is cleared, stored and never read.
void stored_padding(Builder& p, bool has) {
  const Tensor rows = p.input("rows", {8, 128}, BF16);
  const Tensor k = p.input("k", {2048, 128}, BF16);
  const Tensor y = p.output("y", {8, 2048}, F32);
  const Tensor scores = p.tensor("scores", {256, 128}, F32);
  const Tensor q = p.tensor("q", {16, 128}, BF16);
  if (has) {
    auto core = p.incore("pad");
    assemble(q, cast(p.full({8, 128}, F32, 0.0), BF16), {8, 0});
  }
  {
    auto core = p.incore("copy");
    assemble(q, slice(rows, {8, 128}, {0, 0}), {0, 0});
  }
  {
    auto core = p.incore("scores");
    const Tile left =
        has ? slice(q, {16, 128}, {0, 0}) : slice(q, {16, 128}, {0, 0}, {.valid_shape = {8, 128}});
    for (Index b : p.range(16).named("b"))
      assemble(scores, matmul(left, slice(k, {128, 128}, {b * 128, 0}), {.b_trans = true}),
               {b * 16, 0});
  }
  auto core = p.incore("finish");
  for (Index b : p.range(16).named("c"))
    assemble(y, exp(slice(scores, {8, 128}, {b * 16, 0})), {0, b * 128});
}

// All 16 rows are read, eight at a time.
void read_in_halves(Builder& p, bool) {
  const Tensor q = p.input("q", {16, 128}, BF16);
  const Tensor k = p.input("k", {128, 128}, BF16);
  const Tensor y = p.output("y", {16, 128}, F32);
  const Tensor scores = p.tensor("scores", {16, 128}, F32);
  {
    auto core = p.incore("scores");
    assemble(scores, matmul(slice(q, {16, 128}, {0, 0}), slice(k, {128, 128}, {0, 0})), {0, 0});
  }
  auto core = p.incore("finish");
  for (Index h : p.range(2).named("h"))
    assemble(y, mul(exp(slice(scores, {8, 128}, {h * 8, 0})), Scalar(h)), {h * 8, 0});
}

TEST(PaddedRows, OfGroupsThatShareTheRightOperand) { expect_rewrite("padded-rows", groups, 0.1); }
TEST(PaddedRows, ThatAreStoredAndNeverRead) { expect_rewrite("padded-rows", stored_padding, 0.01); }
TEST(PaddedRows, LeavesRowsThatAreRead) { expect_no_rewrite("padded-rows", read_in_halves); }

}  // namespace
}  // namespace tilewright::improve::padded_tests
