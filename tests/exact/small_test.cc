// Small kernels with one feature each: pipelined copies, rings, storage used in place, views,
// partly valid tiles, accumulators, working space, scalar reads.
#include "small_programs.h"
#include "support.h"

namespace exact_test {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, I32 = DType::I32;

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

}  // namespace
}  // namespace exact_test
