// Golden: tiles, GM, views, and values that cross scopes.
#include "support.h"

namespace golden_test {
namespace {

// ---- tiles and GM ------------------------------------------------------------------------------

TEST(GoldenMemory, SliceOfGmCopiesTheWindow) {
  const HostArray y = eval(list(counting(F32, {3, 5})), F32, {2, 3}, [](Builder&, auto& x) {
    return slice(x[0], {2, 3}, {1, 2});
  });
  expect_values(y, {7, 8, 9, 12, 13, 14});
}

TEST(GoldenMemory, SliceOfATileIsACopy) {
  const HostArray y = eval(list(counting(F32, {1, 4})), F32, {1, 2}, [](Builder& p, auto& x) {
    Tile t = slice(x[0], {1, 4}, {0, 0});
    Tile part = slice(t, {1, 2}, {0, 1});
    assemble(t, p.full({1, 4}, F32, 9.0), {0, 0});
    return part;
  });
  expect_values(y, {1, 2});
}

TEST(GoldenMemory, SliceMayDropLeadingDimensions) {
  const HostArray y = eval(list(counting(BF16, {2, 3, 4})), BF16, {2, 2}, [](Builder&, auto& x) {
    return slice(x[0], {2, 2}, {1, 1, 2});
  });
  expect_values(y, {18, 19, 22, 23});
}

TEST(GoldenMemory, TransposedLoadSwapsTheWindow) {
  const HostArray y = eval(list(counting(F32, {4, 5})), F32, {3, 2}, [](Builder&, auto& x) {
    return load(x[0], {1, 2}, {3, 2}, {.target = MemorySpace::Mat, .transpose = true});
  });
  expect_values(y, {7, 12, 8, 13, 9, 14});
}

TEST(GoldenMemory, TransposedLoadCountsItsValidShapeInTheTile) {
  const HostArray y = eval(list(counting(F32, {4, 5})), F32, {3, 2}, [](Builder&, auto& x) {
    return load(x[0], {3, 2}, {3, 2},
                {.valid_shape = {3, 1}, .target = MemorySpace::Mat, .transpose = true});
  });
  expect_values(y, {17, kUndefined, 18, kUndefined, 19, kUndefined});
}

TEST(GoldenMemory, ValidWindowMayHangOverTheEdge) {
  const HostArray y = eval(list(counting(F32, {3, 4})), F32, {2, 4}, [](Builder&, auto& x) {
    return slice(x[0], {2, 4}, {2, 1}, {.valid_shape = {1, 3}});
  });
  expect_values(y, {9, 10, 11, kUndefined, kUndefined, kUndefined, kUndefined, kUndefined});
}

TEST(GoldenMemory, SliceOfAPartlyValidTileKeepsThePartInside) {
  // Valid [2, 3] of [4, 4]; a full result of the slice at (1, 1) would need the other elements.
  const HostArray y = eval(list(counting(F32, {4, 4})), F32, {2, 1}, [](Builder&, auto& x) {
    Tile t = slice(x[0], {4, 4}, {0, 0}, {.valid_shape = {2, 3}});
    return row_sum(slice(t, {2, 3}, {1, 1}));
  });
  expect_values(y, {5 + 6, kUndefined});
}

TEST(GoldenMemory, CreateAndUnwrittenOutputsArePoison) {
  Builder p("poison");
  Tensor y = p.output("y", {2, 2}, F32);
  p.output("z", {1, 2}, BF16);
  p.output("w", {1, 2}, I32);
  {
    auto core = p.incore();
    Tile t = p.tensor("t", {1, 2}, F32);
    assemble(y, add(t, 1.0), {1, 0});
  }
  HostArray ya(F32, {2, 2}), za(BF16, {1, 2}), wa(I32, {1, 2});
  run(p.finish(), {&ya, &za, &wa});
  expect_values(ya, {kUndefined, kUndefined, kUndefined, kUndefined});
  EXPECT_TRUE(za.same_bits(poisoned(BF16, {1, 2})));
  EXPECT_TRUE(wa.same_bits(poisoned(I32, {1, 2})));
}

TEST(GoldenMemory, IntegerPoisonIsNotANumber) {
  // Multiplied by zero, undefined stays undefined, and arrives in GM as poison.
  const HostArray y = eval({}, I32, {1, 2}, [](Builder& p, auto&) {
    Tile t = p.tensor("t", {1, 2}, I32);
    assemble(t, p.full({1, 1}, I32, 5), {0, 0});
    return mul(t, 0);
  });
  EXPECT_EQ(y.at(0), 0);
  EXPECT_EQ(y.at(1), poisoned(I32, {1}).at(0));
}

TEST(GoldenMemory, AssembleWritesTheValidRegionOnly) {
  Builder p("window");
  Tensor x = p.input("x", {2, 3}, F32);
  Tensor y = p.state("y", {3, 4}, F32);
  {
    auto core = p.incore();
    assemble(y, slice(x, {2, 3}, {0, 0}, {.valid_shape = {1, 2}}), {1, 1});
  }
  HostArray xa = counting(F32, {2, 3}), ya = counting(F32, {3, 4}, 100);
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {0, 100, 200, 300, 400, 0, 1, 700, 800, 900, 1000, 1100});
}

TEST(GoldenMemory, AssembleOfALowerRank) {
  Builder p("rank");
  Tensor x = p.input("x", {1, 2}, F32);
  Tensor y = p.state("y", {2, 2, 3}, F32);
  {
    auto core = p.incore();
    assemble(y, slice(x, {1, 2}, {0, 0}), {1, 1, 1});
  }
  HostArray xa = array(F32, {1, 2}, {7, 8}), ya(F32, {2, 2, 3});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8});
}

TEST(GoldenMemory, AtomicAddRoundsOnceToTheDestination) {
  Builder p("atomic");
  Tensor x = p.input("x", {1, 2}, BF16);
  Tensor y = p.state("y", {1, 2}, BF16);
  Tensor n = p.state("n", {1, 1}, I8);
  {
    auto core = p.incore();
    assemble_add(y, slice(x, {1, 2}, {0, 0}), {0, 0});
    assemble_add(n, p.full({1, 1}, I8, 100), {0, 0});
  }
  // 256 + 1 lies halfway between the BF16 neighbours 256 and 258: to even.
  HostArray xa = array(BF16, {1, 2}, {1, 3}), ya = array(BF16, {1, 2}, {256, 256});
  HostArray na = array(I8, {1, 1}, {100});
  run(p.finish(), {&xa, &ya, &na});
  expect_values(ya, {256, 260});
  expect_values(na, {200 - 256});
}

TEST(GoldenMemory, AtomicAddIntoATile) {
  const HostArray y = eval(list(counting(F32, {1, 3})), F32, {1, 3}, [](Builder& p, auto& x) {
    Tile t = p.full({1, 3}, F32, 10.0);
    assemble_add(t, slice(x[0], {1, 2}, {0, 1}), {0, 1});
    return t;
  });
  expect_values(y, {10, 11, 12});
}

TEST(GoldenMemory, GmOperandsAreReadAndWrittenWhole) {
  Builder p("whole");
  Tensor x = p.input("x", {2, 2}, F32);
  Tensor y = p.output("y", {2, 2}, F32);
  {
    auto core = p.incore();
    assign(y, mul(x, 2.0));
    assign(y, add(y, x));  // reads what it wrote
  }
  HostArray xa = counting(F32, {2, 2}), ya(F32, {2, 2});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {0, 3, 6, 9});
}

TEST(GoldenMemory, AssignToATileCopies) {
  const HostArray y = eval(list(counting(F32, {1, 2})), F32, {1, 2}, [](Builder& p, auto& x) {
    Tile a = slice(x[0], {1, 2}, {0, 0});
    a.named("a");
    Tile b = p.tensor("b", {1, 2}, F32);
    assign(b, a);
    assign(a, add(a, 5.0));
    return add(mul(b, 100.0), a);
  });
  expect_values(y, {5, 106});
}

TEST(GoldenMemory, AtomicAddIntoATileRounds) {
  const HostArray y = eval({}, F32, {1, 1}, [](Builder& p, auto&) {
    Tile t = p.full({1, 1}, BF16, 256.0);
    assemble_add(t, p.full({1, 1}, BF16, 1.0), {0, 0});
    return cast(t, F32);
  });
  expect_values(y, {256});
}

// ---- views and escapes -------------------------------------------------------------------------

TEST(GoldenViews, OrchestratorSliceAndReshapeShareMemory) {
  Builder p("views");
  Tensor y = p.state("y", {4, 3}, F32);
  Tensor rows = slice(y, {2, 3}, {1, 0});
  Tensor flat = reshape(rows, {1, 6});
  {
    auto core = p.incore();
    assemble(flat, p.full({1, 2}, F32, 9.0), {0, 2});
  }
  HostArray ya = counting(F32, {4, 3});
  run(p.finish(), {&ya});
  expect_values(ya, {0, 1, 2, 3, 4, 9, 9, 7, 8, 9, 10, 11});
}

TEST(GoldenViews, ReshapeOfAStridedViewIsRefused) {
  Builder p("strided");
  Tensor y = p.state("y", {4, 3}, F32);
  reshape(slice(y, {4, 2}, {0, 0}), {1, 8});
  const ir::Program program = p.finish();
  HostArray ya(F32, {4, 3});
  expect_error("reshape-view", {"strided view", "slice [4 x 2]", "memory_test.cc"},
               [&] { run(program, {&ya}); });
}

TEST(GoldenViews, OrchestratorAssembleCopies) {
  Builder p("copy");
  Tensor y = p.output("y", {2, 2}, F32);
  Tensor part = p.tensor("part", {1, 2}, F32);
  {
    auto core = p.incore();
    assign(part, p.full({1, 2}, F32, 3.0));
  }
  assemble(y, part, {1, 0});
  {
    auto core = p.incore();
    assign(part, p.full({1, 2}, F32, 4.0));  // the copy has been made: y does not change
  }
  assemble(y, part, {0, 0});
  HostArray ya(F32, {2, 2});
  run(p.finish(), {&ya});
  expect_values(ya, {4, 4, 3, 3});
}

TEST(GoldenViews, ASliceAssignedToATensorIsACopy) {
  Builder p("assigned");
  Tensor x = p.state("x", {2, 2}, F32);
  Tensor y = p.output("y", {1, 2}, F32);
  assign(y, slice(x, {1, 2}, {1, 0}));
  {
    auto core = p.incore();
    assemble(x, p.full({1, 2}, F32, -1.0), {1, 0});
  }
  HostArray xa = counting(F32, {2, 2}), ya(F32, {1, 2});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {2, 3});
}

TEST(GoldenViews, ATileCrossesScopesWithItsContents) {
  Builder p("escape");
  Tensor x = p.input("x", {1, 3}, F32);
  Tensor y = p.output("y", {1, 3}, F32);
  std::vector<Tensor> crossing;
  {
    auto a = p.incore("a");
    crossing.push_back(add(x, 1.0));
  }
  {
    auto b = p.incore("b");
    assign(y, mul(crossing[0], crossing[0]));
  }
  HostArray xa = counting(F32, {1, 3}), ya(F32, {1, 3});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {1, 4, 9});
}

TEST(GoldenViews, GmHasNoValidShape) {
  // Within a scope the sum is over the two valid columns; from GM the row is read whole.
  Builder p("settle");
  Tensor x = p.input("x", {1, 3}, F32);
  Tensor y = p.output("y", {1, 2}, F32);
  std::vector<Tensor> crossing;
  {
    auto a = p.incore("a");
    crossing.push_back(slice(x, {1, 3}, {0, 0}, {.valid_shape = {1, 2}}));
    assemble(y, row_sum(crossing[0]), {0, 0});
  }
  {
    auto b = p.incore("b");
    assemble(y, row_sum(crossing[0]), {0, 1});
  }
  HostArray xa = counting(F32, {1, 3}), ya(F32, {1, 2});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {1, kUndefined});
}

TEST(GoldenViews, AViewOfAnEscapedTileReachesIt) {
  Builder p("escaped_view");
  Tensor y = p.output("y", {1, 4}, F32);
  std::vector<Tensor> t;
  for (Index i : p.range(2)) {
    {
      auto a = p.incore("a");
      t.push_back(p.full({1, 4}, F32, Scalar(i)));
    }
    Tensor half = slice(t[0], {1, 2}, {0, 2});
    {
      auto b = p.incore("b");
      assemble(half, p.full({1, 2}, F32, 7.0), {0, 0});
    }
    {
      auto c = p.incore("c");
      assign(y, t[0]);
    }
  }
  HostArray ya(F32, {1, 4});
  run(p.finish(), {&ya});
  expect_values(ya, {1, 1, 7, 7});
}

TEST(GoldenViews, AnEscapedTileIsNewEveryTime) {
  // The first trip fills the tile; the second makes one of which a half is valid.
  Builder p("reborn");
  Tensor x = p.input("x", {1, 4}, F32);
  Tensor y = p.output("y", {2, 4}, F32);
  std::vector<Tensor> t;
  for (Index i : p.range(2)) {
    {
      auto a = p.incore("a");
      t.push_back(slice(x, {1, 4}, {0, 0}, {.valid_shape = {1, 4 - i * 2}}));
    }
    Tensor again = reshape(t[0], {1, 4});
    {
      auto b = p.incore("b");
      assemble(y, again, {i, 0});
    }
  }
  HostArray xa = counting(F32, {1, 4}), ya(F32, {2, 4});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {0, 1, 2, 3, 0, 1, kUndefined, kUndefined});
}

TEST(GoldenViews, AViewSlicedWithAValidShapeKeepsIt) {
  Builder p("valid_view");
  Tensor x = p.input("x", {2, 3}, F32);
  Tensor y = p.output("y", {2, 3}, F32);
  Tensor view = slice(x, {2, 3}, {0, 0}, {.valid_shape = {2, 2}});
  {
    auto core = p.incore();
    assemble(y, row_sum(view), {0, 0});
    assemble(y, slice(view, {1, 2}, {1, 1}, {.valid_shape = {1, 2}}), {0, 1});
  }
  HostArray xa = counting(F32, {2, 3}), ya(F32, {2, 3});
  run(p.finish(), {&xa, &ya});
  expect_values(ya, {1, 4, kUndefined, 7, kUndefined, kUndefined});
}

TEST(GoldenViews, CreateInALoopIsFreshEveryTrip) {
  Builder p("fresh");
  Tensor y = p.output("y", {2, 2}, F32);
  for (Index i : p.range(2)) {
    Tensor t = p.tensor("t", {1, 2}, F32);
    {
      auto a = p.incore("a");
      assemble(t, p.full({1, 1}, F32, 5.0), {0, i});
      assemble(y, t, {i, 0});
    }
  }
  HostArray ya(F32, {2, 2});
  run(p.finish(), {&ya});
  expect_values(ya, {5, kUndefined, kUndefined, 5});
}

}  // namespace
}  // namespace golden_test
