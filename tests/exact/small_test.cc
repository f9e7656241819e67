// Small kernels with one feature each: pipelined copies, rings, storage used in place, views,
// partly valid tiles, accumulators, working space, scalar reads.
#include "small_programs.h"
#include "support.h"

namespace exact_test {
namespace {

using namespace dsl;

class Small : public testing::TestWithParam<const char*> {
 protected:
  Subject make(const std::function<void(Builder&)>& body) const {
    return make_subject(GetParam(), body);
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, Small, testing::Values("a2a3", "a5"));

bool has(const Subject& s, const std::function<bool(const ir::Instruction&)>& what) {
  for (const ir::Kernel& k : s.plan.kernels)
    if (std::ranges::any_of(k.lowered.instructions, what)) return true;
  return false;
}

TEST_P(Small, PipelinedLoadsAndWorkingSpace) {
  const Subject s = make(softmax);
  EXPECT_TRUE(has(s, [](const ir::Instruction& in) { return in.rotates; }));
  EXPECT_TRUE(has(s, [](const ir::Instruction& in) { return in.scratch >= 0; }));
  expect_exact(s);
}

TEST_P(Small, CubePipelineWithAnAccumulator) {
  const Subject s = make(product);
  EXPECT_TRUE(has(s, [](const ir::Instruction& in) { return in.action == ir::Action::Clear; }));
  expect_exact(s);
}

TEST_P(Small, MixedKernel) {
  const Subject s = make(attention);
  EXPECT_TRUE(has(s, [](const ir::Instruction& in) { return in.action == ir::Action::Push; }));
  expect_exact(s);
}

TEST_P(Small, StorageUsedInPlace) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {16, 64}, F32);
    const Tensor y = p.output("y", {16, 64}, F32);
    auto core = p.incore("chain");
    const Tile a = add(slice(x, {16, 64}, {0, 0}), 1.0);
    const Tile b = mul(a, a);
    const Tile c = row_expand_mul(b, row_sum(b));
    assemble(y, sub(exp(neg(c)), b), {0, 0});
  });
  expect_exact(s);
}

TEST_P(Small, PartlyValidTiles) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {10, 100}, F32);
    const Tensor y = p.output("y", {10, 100}, F32);
    const Tensor sums = p.output("sums", {10, 1}, F32);
    auto core = p.incore("edge");
    const Tile t = slice(x, {16, 128}, {0, 0}, {.valid_shape = {10, 100}});
    assemble(sums, row_sum(t), {0, 0});
    const Tile whole = fillpad(add(t, t), Pad::Zero);
    assemble(y, set_validshape(mul(whole, 0.5), {10, 100}), {0, 0});
  });
  expect_exact(s);
}

TEST_P(Small, ViewsOfTiles) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    const Tensor z = p.output("z", {32, 16}, F32);
    auto core = p.incore("views");
    const Tile t = slice(x, {8, 64}, {0, 0});
    const Tile left = slice(t, {8, 32}, {0, 0});
    const Tile right = slice(t, {8, 32}, {0, 32});
    assemble(z, mul(reshape(t, {32, 16}), 2.0), {0, 0});
    assemble(y, concat(right, left), {0, 0});
  });
  EXPECT_TRUE(has(s, [](const ir::Instruction& in) { return in.is_view(); }));
  expect_exact(s);
}

TEST_P(Small, ATileIsPutTogether) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {8, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    auto core = p.incore("put");
    const Tile whole = p.tile({8, 64}, F32, MemorySpace::Vec);
    for (Index i : p.range(4))
      assemble(whole, add(slice(x, {8, 16}, {0, i * 16}), i), {0, 48 - i * 16});
    assemble(y, whole, {0, 0});
  });
  expect_exact(s);
}

TEST_P(Small, ScalarsFromTilesAndFromGm) {
  const Subject s = make([](Builder& p) {
    const Tensor index = p.input("index", {1, 8}, I32);
    const Tensor x = p.input("x", {4, 64}, F32);
    const Tensor y = p.output("y", {8, 64}, F32);
    auto core = p.incore("gather");
    const Tile doubled = add(slice(index, {1, 8}, {0, 0}), 0);
    for (Index i : p.range(4)) {
      const Index from_gm = p.read(index, {0, i});
      const Index from_tile = p.read(doubled, {0, i + 4});
      assemble(y, mul(slice(x, {1, 64}, {from_gm, 0}), from_tile), {i, 0});
      assemble(y, slice(x, {1, 64}, {from_tile, 0}), {i + 4, 0});
    }
  });
  EXPECT_TRUE(has(s, [](const ir::Instruction& in) { return in.action == ir::Action::Read; }));
  expect_exact(s);
}

TEST_P(Small, WhatIsStoredIsLoadedAgain) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.state("x", {4, 64}, F32);
    auto core = p.incore("carry");
    for (Index i : p.range(1, 4))
      assemble(x, add(slice(x, {1, 64}, {i - 1, 0}), slice(x, {1, 64}, {i, 0})), {i, 0});
  });
  expect_exact(s);
}

TEST_P(Small, SumsInGmAndInATile) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {4, 64}, F32);
    const Tensor y = p.state("y", {1, 64}, F32);
    const Tensor z = p.output("z", {2, 64}, F32);
    auto core = p.incore("sums");
    const Tile sums = p.full({2, 64}, F32, 0.0);
    for (Index i : p.pipeline(4, {.stages = 2})) {
      const Tile row = slice(x, {1, 64}, {i, 0});
      assemble_add(y, row, {0, 0});
      assemble_add(sums, exp(row), {i % 2, 0});
    }
    assemble(z, sums, {0, 0});
  });
  expect_exact(s);
}

TEST_P(Small, ProductsOfEveryKind) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {5, 40}, BF16);
    const Tensor w = p.weight("w", {24, 40}, BF16);
    const Tensor b = p.input("b", {1, 24}, F32);
    const Tensor i = p.input("i", {16, 32}, DType::I8);
    const Tensor y = p.output("y", {5, 24}, BF16);
    const Tensor z = p.output("z", {1, 24}, F32);
    const Tensor v = p.output("v", {16, 16}, I32);
    auto core = p.at(Level::CoreGroup, "products");
    const Tile right = load(w, {0, 0}, {40, 24}, {.target = MemorySpace::Mat, .transpose = true});
    assemble(y, matmul(x, right, {.out_dtype = BF16}), {0, 0});
    assemble(z, gemv(slice(x, {1, 40}, {2, 0}), right), {0, 0});
    assemble(y, cast(matmul_bias(slice(x, {4, 40}, {1, 0}), right, b), BF16), {1, 0});
    const Tile whole = slice(i, {16, 32}, {0, 0});
    assemble(v, matmul(whole, whole, {.b_trans = true}), {0, 0});
  });
  expect_exact(s);
}

TEST_P(Small, Sorting) {
  const Subject s = make([](Builder& p) {
    const Tensor x = p.input("x", {2, 100}, F32);
    const Tensor values = p.output("values", {2, 8}, F32);
    const Tensor places = p.output("places", {2, 8}, I32);
    auto core = p.incore("top");
    for (Index r : p.pipeline(2, {.stages = 2})) {
      const Tile row = fillpad(slice(x, {1, 128}, {r, 0}, {.valid_shape = {1, 100}}), Pad::Min);
      const Tile sorted = mrgsort(sort32(row, p.arange(0, {1, 128}, I32)), 64);
      const Tile best = slice(sorted, {1, 16}, {0, 0});
      assemble(values, gather_mask(best, ir::MaskPattern::P0101, F32), {r, 0});
      assemble(places, gather_mask(best, ir::MaskPattern::P1010, I32), {r, 0});
    }
  });
  expect_exact(s);
}

}  // namespace
}  // namespace exact_test
