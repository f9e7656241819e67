// Products that are cut for L0, on a machine whose Left, Right and Acc are so small that everything
// is: the bits of the whole product, at the addresses and with the waits of its parts.
#include <gtest/gtest.h>

#include "support.h"
#include "tilewright/ir/walk.h"

namespace exact_test {
namespace {

using namespace dsl;

constexpr DType I8 = DType::I8;

// Left and Right hold two blocks of 32 x 32 BF16 or four of 16 x 32, Acc a window of 32 x 32.
const platform::Platform& small_machine() {
  static const platform::Platform kSmall = [] {
    platform::Platform p = platform::builtin_platform("a2a3");
    for (platform::Memory& m : p.memories)
      if (m.space == MemorySpace::Left || m.space == MemorySpace::Right ||
          m.space == MemorySpace::Acc)
        m.physical = 4096;
    return p;
  }();
  return kSmall;
}

Subject tiled(const std::function<void(Builder&)>& body) {
  Builder p("tiled");
  body(p);
  return make_subject(p.finish(), small_machine());
}

int count(const Subject& s, ir::OpKind kind) {
  int n = 0;
  for (const ir::Kernel& k : s.plan.kernels)
    ir::for_each_op(k.body, [&](const ir::Op& op) { n += op.kind == kind ? 1 : 0; });
  return n;
}

std::vector<std::string> loops(const Subject& s) {
  std::vector<std::string> found;
  for (const ir::Kernel& k : s.plan.kernels)
    ir::for_each_stmt(k.body, [&](const ir::Stmt& stmt) {
      if (const auto* f = stmt.as<ir::For>()) found.push_back(s.plan.program[f->var].name);
    });
  return found;
}

using Names = std::vector<std::string>;

// a [m, k] by b [k, n], in one scope, stored at once.
Subject direct(int64_t m, int64_t k, int64_t n, DType dtype, MatmulOptions o = {}) {
  return tiled([&](Builder& p) {
    const Tensor a = p.input("a", o.a_trans ? Shape{k, m} : Shape{m, k}, dtype);
    const Tensor b = p.weight("b", o.b_trans ? Shape{n, k} : Shape{k, n}, dtype);
    const DType out = o.out_dtype.value_or(is_float(dtype) ? F32 : I32);
    const Tensor y = p.output("y", {m, n}, out);
    auto core = p.incore("direct");
    assemble(y, matmul(a, b, o), {0, 0});
  });
}

TEST(Tiling, BlocksOfK) {
  const Subject s = direct(16, 256, 32, BF16);
  EXPECT_EQ(loops(s), Names{"k0"});
  EXPECT_EQ(count(s, ir::OpKind::MatmulAcc), 1);
  expect_exact(s);
}

TEST(Tiling, ARestOfK) {
  const Subject s = direct(16, 80, 32, BF16);
  EXPECT_EQ(count(s, ir::OpKind::MatmulAcc), 2) << "one in the loop, one for the rest";
  expect_exact(s);
}

TEST(Tiling, OneBlockOfKAndARest) {
  const Subject s = direct(64, 48, 32, BF16);
  EXPECT_EQ(loops(s), Names{"m0"});
  EXPECT_EQ(count(s, ir::OpKind::MatmulAcc), 1) << "for the rest";
  expect_exact(s);
}

TEST(Tiling, OtherElementTypes) {
  expect_exact(direct(16, 128, 32, F32));
  expect_exact(direct(16, 256, 32, I8));
  expect_exact(direct(7, 128, 20, BF16));
}

TEST(Tiling, TransposedOperands) {
  expect_exact(direct(16, 128, 32, BF16, {.a_trans = true}));
  expect_exact(direct(16, 128, 32, BF16, {.b_trans = true}));
  expect_exact(direct(64, 128, 64, BF16, {.a_trans = true, .b_trans = true}));
}

TEST(Tiling, WindowsOfTheOutput) {
  const Subject s = direct(64, 128, 96, BF16);
  EXPECT_EQ(loops(s), (Names{"m0", "n0", "k0"}));
  expect_exact(s);
}

TEST(Tiling, WindowsOfWholeK) {
  const Subject s = direct(32, 16, 96, BF16);
  EXPECT_EQ(loops(s), Names{"n0"});
  expect_exact(s);
}

TEST(Tiling, WindowsOfARoundedResult) {
  expect_exact(direct(32, 16, 96, BF16, {.out_dtype = BF16}));
}

// It is rounded by its product, so k stays whole although Acc would hold the result.
TEST(Tiling, WindowsOfARoundedResultWhoseOperandsAreTooLarge) {
  const Subject s = direct(16, 128, 32, BF16, {.out_dtype = BF16});
  EXPECT_EQ(loops(s), Names{"n0"});
  EXPECT_EQ(count(s, ir::OpKind::MatmulAcc), 0);
  expect_exact(s);
}

// One block of 16 x 64 FP32 fills Right.
TEST(Tiling, BlocksOfKThatFitOnce) {
  const Subject s = direct(16, 64, 64, F32);
  EXPECT_EQ(loops(s), Names{"k0"});
  expect_exact(s);
}

TEST(Tiling, ABiasIsAddedOnce) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {16, 128}, BF16);
    const Tensor b = p.weight("b", {128, 32}, BF16);
    const Tensor bias = p.weight("bias", {1, 32}, F32);
    const Tensor y = p.output("y", {16, 32}, F32);
    auto core = p.incore("biased");
    assemble(y, matmul_bias(a, b, bias), {0, 0});
  });
  EXPECT_EQ(count(s, ir::OpKind::MatmulAcc), 1);
  expect_exact(s);
}

TEST(Tiling, WindowsOfABiasedProduct) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {32, 128}, BF16);
    const Tensor b = p.weight("b", {128, 96}, BF16);
    const Tensor bias = p.weight("bias", {1, 96}, F32);
    const Tensor y = p.output("y", {32, 96}, F32);
    auto core = p.incore("biased");
    assemble(y, matmul_bias(a, b, bias), {0, 0});
  });
  EXPECT_EQ(loops(s), (Names{"n0", "k0"}));
  expect_exact(s);
}

TEST(Tiling, AnAccumulatorGoesOn) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {16, 256}, BF16);
    const Tensor b = p.weight("b", {256, 32}, BF16);
    const Tensor y = p.output("y", {16, 32}, F32);
    auto core = p.incore("chain");
    const Tile sum = p.full({16, 32}, F32, 0.0);
    for (Index k : p.pipeline(2, {.stages = 2}))
      matmul_acc(sum, slice(a, {16, 128}, {0, k * 128}), slice(b, {128, 32}, {k * 128, 0}));
    assemble(y, sum, {0, 0});
  });
  EXPECT_EQ(loops(s), (Names{"i", "k0"}));
  expect_exact(s);
}

// The grid goes outside the author's loop over k, and the loads are narrowed.
TEST(Tiling, WindowsOutsideTheLoopOverK) {
  for (const bool first_in_loop : {false, true}) {
    const Subject s = tiled([&](Builder& p) {
      const Tensor a = p.input("a", {64, 96}, BF16);
      const Tensor b = p.weight("b", {64, 96}, BF16);
      const Tensor y = p.output("y", {70, 100}, F32);
      {
        auto core = p.incore("chain");
        const auto left = [&](Index k) { return slice(a, {64, 48}, {0, k * 48}); };
        const auto right = [&](Index k) { return slice(b, {64, 48}, {0, k * 48}); };
        const MatmulOptions o{.b_trans = true};
        if (first_in_loop) {
          const Tile sum = p.accumulator({64, 64});
          for (Index k : p.pipeline(2, {.stages = 2})) {
            const Tile l = left(k);
            const Tile r = right(k);
            {
              auto first = p.when(k == 0);
              assign(sum, matmul(l, r, o));
            }
            {
              auto later = p.otherwise();
              matmul_acc(sum, l, r, o);
            }
          }
          assemble(y, sum, {6, 36});
        } else {
          const Tile sum = matmul(left(0), right(0), o);
          for (Index k : p.range(1, 2)) matmul_acc(sum, left(k), right(k), o);
          assemble(y, sum, {6, 36});
        }
      }
      auto core = p.incore("rest");
      assemble(y, p.full({6, 100}, F32, 0.0), {0, 0});
      assemble(y, p.full({64, 36}, F32, 0.0), {6, 0});
    });
    EXPECT_EQ(loops(s).front(), "m0");
    expect_exact(s);
  }
}

// The result of one product is an operand of the next: windows are put together in Mat.
TEST(Tiling, WindowsOfAResultThatIsMultipliedAgain) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {64, 32}, BF16);
    const Tensor b = p.weight("b", {32, 64}, BF16);
    const Tensor c = p.weight("c", {64, 32}, BF16);
    const Tensor y = p.output("y", {64, 32}, F32);
    auto core = p.incore("chain");
    assemble(y, matmul(matmul(a, b, {.out_dtype = BF16}), c), {0, 0});
  });
  EXPECT_EQ(count(s, ir::OpKind::Assemble), 1);
  expect_exact(s);
}

// What the vector core made is handed over whole, and cut in Mat.
TEST(Tiling, AnOperandOfTheVectorCore) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {16, 128}, F32);
    const Tensor b = p.weight("b", {128, 32}, BF16);
    const Tensor y = p.output("y", {16, 32}, F32);
    auto core = p.at(Level::CoreGroup, "mixed");
    assemble(y, neg(matmul(cast(exp(a), BF16), b)), {0, 0});
  });
  EXPECT_EQ(loops(s), Names{"k0"});
  expect_exact(s);
}

// Every step from the scores to the weights of an attention keeps what is valid.
TEST(Tiling, AnOperandThatIsASoftmax) {
  const Subject s = tiled([](Builder& p) {
    const Tensor scores = p.input("scores", {16, 128}, F32);
    const Tensor bias = p.input("bias", {128}, F32);
    const Tensor v = p.weight("v", {128, 32}, BF16);
    const Tensor y = p.output("y", {16, 32}, F32);
    auto core = p.at(Level::CoreGroup, "mixed");
    const Tile biased = col_expand_add(scores, reshape(bias, {1, 128}));
    const Tile shifted = row_expand_sub(biased, row_max(biased));
    assemble(y, matmul(cast(exp(shifted), BF16), v), {0, 0});
  });
  EXPECT_EQ(loops(s), Names{"k0"});
  expect_exact(s);
}

TEST(Tiling, AViewOfGmWithOneDimensionMore) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {2, 8, 128}, BF16);
    const Tensor b = p.weight("b", {128, 32}, BF16);
    const Tensor y = p.output("y", {16, 32}, F32);
    const Tensor flat = reshape(a, {16, 128});
    auto core = p.incore("flat");
    assemble(y, matmul(slice(flat, {16, 128}, {0, 0}), b), {0, 0});
  });
  EXPECT_EQ(loops(s), Names{"k0"});
  expect_exact(s);
}

// One matrix of a pile, as the weights of one expert are.
TEST(Tiling, OneMatrixOfThreeDimensions) {
  for (const int64_t n : {32, 96}) {  // blocks of k; windows as well
    const Subject s = tiled([&](Builder& p) {
      const Tensor a = p.input("a", {32, 128}, BF16);
      const Tensor b = p.weight("b", {3, n, 128}, BF16);
      const Tensor y = p.output("y", {1, 32, n}, F32);
      auto core = p.incore("expert");
      assemble(y, matmul(a, slice(b, {1, n, 128}, {1, 0, 0}), {.b_trans = true}), {0, 0, 0});
    });
    EXPECT_EQ(loops(s).back(), "k0");
    EXPECT_EQ(loops(s).size(), n == 32 ? 1u : 2u);
    expect_exact(s);
  }
}

// Blocks end where the valid part does; the last one is a part of a block.
TEST(Tiling, AKThatIsPartlyValid) {
  for (const int64_t valid : {5, 64, 100, 128}) {
    const Subject s = tiled([&](Builder& p) {
      const Tensor a = p.input("a", {16, 128}, BF16);
      const Tensor b = p.weight("b", {128, 32}, BF16);
      const Tensor y = p.output("y", {16, 32}, F32);
      auto core = p.incore("depth");
      const Tile left = slice(a, {16, 128}, {0, 0}, {.valid_shape = {16, valid}});
      const Tile right = slice(b, {128, 32}, {0, 0}, {.valid_shape = {valid, 32}});
      assemble(y, matmul(left, right), {0, 0});
    });
    EXPECT_EQ(loops(s), Names{"k0"});
    expect_exact(s);
  }
}

TEST(Tiling, AKThatIsValidAsFarAsDataSay) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {16, 128}, BF16);
    const Tensor b = p.weight("b", {128, 32}, BF16);
    const Tensor lengths = p.input("lengths", {1, 4}, I32);
    const Tensor y = p.output("y", {64, 32}, F32);
    auto core = p.incore("depth");
    for (Index i : p.range(4)) {
      const Index valid = p.read(lengths, {0, i}) * 24 + 30;
      const Tile left = slice(a, {16, 128}, {0, 0}, {.valid_shape = {16, valid}});
      const Tile right = slice(b, {128, 32}, {0, 0}, {.valid_shape = {valid, 32}});
      assemble(y, matmul(left, right), {i * 16, 0});
    }
  });
  EXPECT_EQ(loops(s).back(), "k0");
  expect_exact(s);
}

TEST(Tiling, RowsThatArePartlyValid) {
  const Subject s = tiled([](Builder& p) {
    const Tensor a = p.input("a", {16, 128}, BF16);
    const Tensor b = p.weight("b", {128, 32}, BF16);
    const Tensor y = p.output("y", {10, 32}, F32);
    auto core = p.incore("rows");
    assemble(y, matmul(slice(a, {16, 128}, {0, 0}, {.valid_shape = {10, 128}}), b), {0, 0});
  });
  EXPECT_EQ(loops(s), Names{"k0"});
  expect_exact(s);
}

}  // namespace
}  // namespace exact_test
