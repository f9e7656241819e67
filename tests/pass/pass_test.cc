// Passes: a program in, the property each pass promises out (src/compile/passes/passes.h).
#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/ir/walk.h"

namespace tilewright {
namespace {

using namespace dsl;

struct Compiled {
  ir::Plan plan;
  ir::TaskGraph graph;
  Diagnostics diagnostics;
  std::map<std::string, std::string, std::less<>> listing;  // after each pass
};

std::unique_ptr<Compiled> compiled(Builder& p, const std::string& platform = "a2a3",
                                   const ir::Bindings& bindings = {}) {
  auto c = std::make_unique<Compiled>();
  compile::Options options;
  options.observe = [&](std::string_view pass, const ir::Plan& plan) {
    c->listing[std::string(pass)] = ir::print(plan);
  };
  auto plan =
      compile::compile(p.finish(), platform::builtin_platform(platform), options, c->diagnostics);
  EXPECT_TRUE(plan.has_value()) << c->diagnostics.text();
  if (!plan) return c;
  c->plan = std::move(*plan);
  auto graph = compile::unroll(c->plan, bindings, c->diagnostics);
  EXPECT_TRUE(graph.has_value()) << c->diagnostics.text();
  if (graph) c->graph = std::move(*graph);
  return c;
}

const ir::Kernel& kernel(const Compiled& c, std::string_view name) {
  const auto it = std::ranges::find(c.plan.kernels, name, &ir::Kernel::name);
  EXPECT_NE(it, c.plan.kernels.end()) << name;
  return *it;
}

ir::Direction direction(const Compiled& c, std::string_view kernel_name, std::string_view arg) {
  for (const ir::KernelArg& a : kernel(c, kernel_name).args)
    if (c.plan.program[a.var].name == arg) return a.direction;
  ADD_FAILURE() << "no argument " << arg;
  return Direction::In;
}

bool has_note(const Compiled& c, std::string_view code) {
  return std::ranges::any_of(c.diagnostics.list(),
                             [&](const Diagnostic& d) { return d.code == code; });
}

// ---- expand_unroll, split_chunks ---------------------------------------------------------------

TEST(ExpandUnroll, OneTaskPerCopy) {
  Builder p("unrolled");
  const Tensor out = p.output("out", {4, 8}, DType::F32);
  for (Index i : p.unroll(4)) {
    auto core = p.incore("row");
    assemble(out, p.full({1, 8}, DType::F32, 1.0), {i, 0});
  }
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 4u);
  EXPECT_EQ(c->plan.kernels.size(), 4u);
}

// Both copies fit one after the other: what a trip does not leave for another is its copy's own.
TEST(ExpandUnroll, BuffersLiveNoLongerThanTheirCopy) {
  Builder p("unrolled");
  const Tensor x = p.input("x", {2, 128, 256}, DType::F32);  // 128 KiB of 192 for a trip
  const Tensor y = p.output("y", {2, 128, 256}, DType::F32);
  {
    auto core = p.incore("work");
    for (Index i : p.unroll(2)) {
      const Tile t = slice(x, {1, 128, 256}, {i, 0, 0});
      assemble(y, t, {i, 0, 0});
      const Tile u = slice(x, {1, 128, 256}, {1 - i, 0, 0});
      assemble(y, u, {1 - i, 0, 0});
    }
  }
  EXPECT_FALSE(compiled(p)->diagnostics.has_errors());
}

TEST(ExpandUnroll, ValuesOfACopyStayOnChip) {
  Builder p("unrolled");
  const Tensor x = p.input("x", {2, 8}, DType::F32);
  const Tensor y = p.output("y", {2, 8}, DType::F32);
  for (Index i : p.unroll(2)) {
    auto core = p.incore("row");
    assemble(y, exp(slice(x, {1, 8}, {i, 0})), {i, 0});
  }
  EXPECT_TRUE(compiled(p)->plan.escapes.empty());
}

TEST(ExpandUnroll, WhatATripLeavesForTheNextIsShared) {
  Builder p("unrolled");
  const Tensor x = p.input("x", {4, 8}, DType::F32);
  const Tensor y = p.output("y", {1, 8}, DType::F32);
  {
    auto core = p.incore("sum");
    const Tile last = p.full({1, 8}, DType::F32, 0.0);
    for (Index i : p.unroll(4)) assign(last, add(last, slice(x, {1, 8}, {i, 0})));
    assemble(y, last, {0, 0});
  }
  const auto c = compiled(p);
  std::map<ir::VarId, int> writes;
  ir::VarId stored;
  ir::for_each_op(c->plan.kernels[0].body, [&](const ir::Op& op) {
    ++writes[op.dst];
    if (op.kind == ir::OpKind::Store) stored = op.args[0];
  });
  EXPECT_EQ(writes[stored], 5) << "full, and one for each copy";
}

struct ChunkCase {
  int64_t trips, chunk;
  ChunkPolicy policy;
  std::size_t tasks, kernels;
};

class SplitChunks : public testing::TestWithParam<ChunkCase> {};

TEST_P(SplitChunks, TasksAreCeilOfTripsOverChunk) {
  const ChunkCase param = GetParam();
  Builder p("chunked");
  const Tensor out = p.output("out", {param.trips, 8}, DType::F32);
  {
    auto core = p.auto_incore("rows");
    for (Index i : p.parallel(param.trips, {.chunk = param.chunk, .policy = param.policy}))
      assemble(out, p.full({1, 8}, DType::F32, 1.0), {i, 0});
  }
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), param.tasks);
  EXPECT_EQ(c->plan.kernels.size(), param.kernels);
}

INSTANTIATE_TEST_SUITE_P(Policies, SplitChunks,
                         testing::Values(ChunkCase{128, 4, ChunkPolicy::Guarded, 32, 1},
                                         ChunkCase{128, 6, ChunkPolicy::Guarded, 22, 1},
                                         ChunkCase{128, 6, ChunkPolicy::LeadingFull, 22, 2},
                                         ChunkCase{12, 6, ChunkPolicy::LeadingFull, 2, 1},
                                         ChunkCase{3, 8, ChunkPolicy::Guarded, 1, 1}));

TEST(SplitChunks, RunsOfTensorStatementsAreOneTaskEachAndScalarsStayOutside) {
  Builder p("auto");
  const Tensor x = p.input("x", {4, 8}, DType::F32);
  const Tensor out = p.output("out", {4, 8}, DType::F32);
  {
    auto core = p.auto_incore("part");
    const Tensor sum = p.tensor("sum", {1, 8}, DType::F32);
    const Index row = p.let("row", 2);
    assign(sum, add(slice(x, {1, 8}, {row, 0}), 1.0));  // run 1
    for (Index i : p.parallel(4, {.chunk = 2}))         // 2 tasks
      assemble(out, add(slice(x, {1, 8}, {i, 0}), sum), {i, 0});
    assemble(out, neg(slice(out, {1, 8}, {0, 0})), {0, 0});  // run 2
  }
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 4u);
  EXPECT_EQ(c->plan.kernels.size(), 3u);
}

// A reshape or a slice of GM that several tasks read moves no data: it is no task of its own, and
// no core has to hold all of it ([64 x 4096] f32 is five times Vec).
TEST(SplitChunks, ViewsThatSeveralTasksReadStayInTheOrchestrator) {
  Builder p("views");
  const Tensor x = p.input("x", {64, 4096}, DType::F32);
  const Tensor out = p.output("out", {512, 512}, DType::F32);
  {
    auto core = p.auto_incore("part");
    const Tensor rows = reshape(x, {512, 512});
    const Tensor first = slice(x, {1, 512}, {0, 0});
    for (Index i : p.parallel(512, {.chunk = 64}))
      assemble(out, add(slice(rows, {1, 512}, {i, 0}), first), {i, 0});
  }
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 8u);
  EXPECT_EQ(c->plan.kernels.size(), 1u);
}

TEST(SplitChunks, PerfectNestsMultiply) {
  Builder p("nest");
  const Tensor out = p.output("out", {6, 10}, DType::F32);
  {
    auto core = p.auto_incore("cell");
    for (Index i : p.parallel(6, {.chunk = 2}))
      for (Index j : p.parallel(10, {.chunk = 4}))
        assemble(out, p.full({1, 1}, DType::F32, 1.0), {i, j});
  }
  EXPECT_EQ(compiled(p)->graph.tasks.size(), 9u);  // 3 x ceil(10 / 4)
}

// ---- place_assembles ---------------------------------------------------------------------------

TEST(PlaceAssembles, AValuePlacedOnceCostsNoTask) {
  Builder p("free");
  const Tensor x = p.input("x", {16, 64}, DType::F32);
  const Tensor out = p.output("out", {16, 64}, DType::F32);
  for (Index b : p.parallel(4).named("b")) {
    const auto make = [&] {
      auto core = p.incore("twice");
      return mul(slice(x, {16, 16}, {0, b * 16}), 2.0);
    };
    assemble(out, make(), {0, b * 16});
  }
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 4u);
  EXPECT_FALSE(has_note(*c, "assemble-copies"));
  EXPECT_EQ(c->graph.buffers.size(), 2u) << "the value is made inside out";
}

TEST(PlaceAssembles, AValuePlacedTwiceIsCopied) {
  Builder p("copied");
  const Tensor x = p.input("x", {8, 8}, DType::F32);
  const Tensor out = p.output("out", {16, 8}, DType::F32);
  const auto make = [&] {
    auto core = p.incore("twice");
    return mul(x, 2.0);
  };
  const Tensor value = make();
  assemble(out, value, {0, 0});
  assemble(out, value, {8, 0});
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 3u);
  EXPECT_TRUE(has_note(*c, "assemble-copies"));
}

TEST(PlaceAssembles, AReadOfTheDestinationInBetweenForbidsTheView) {
  Builder p("between");
  const Tensor state = p.state("state", {8, 8}, DType::F32);
  const Tensor out = p.output("out", {8, 8}, DType::F32);
  const auto make = [&] {
    auto core = p.incore("new");
    return p.full({8, 8}, DType::F32, 3.0);
  };
  const Tensor value = make();
  {
    auto core = p.incore("old");
    assign(out, add(state, 0.0));  // must see the state before the assemble
  }
  assemble(state, value, {0, 0});
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 3u);
}

// ---- outline_scopes (decode-spec A.7) ----------------------------------------------------------

TEST(Outline, DirectionsFollowFromLoadsAndStores) {
  Builder p("directions");
  const Tensor x = p.input("x", {8, 8}, DType::F32);
  const Tensor acc = p.state("acc", {8, 8}, DType::F32);
  const Tensor out = p.output("out", {8, 8}, DType::F32);
  {
    auto core = p.incore("work");
    const Tile t = slice(x, {4, 8}, {0, 0});
    assemble(acc, add(slice(acc, {4, 8}, {0, 0}), t), {0, 0});
    assemble(out, t, {0, 0});
    assemble(out, t, {4, 0});
  }
  const auto c = compiled(p);
  EXPECT_EQ(direction(*c, "work", "x"), Direction::In);
  EXPECT_EQ(direction(*c, "work", "acc"), Direction::InOut);
  EXPECT_EQ(direction(*c, "work", "out"), Direction::Out);
}

TEST(Outline, AValueUsedInAnotherScopeTravelsThroughGm) {
  Builder p("escape");
  const Tensor x = p.input("x", {16, 32}, DType::BF16);
  const Tensor w = p.weight("w", {32, 16}, DType::BF16);
  const Tensor out = p.output("out", {16, 16}, DType::F32);
  const auto make = [&] {
    auto core = p.incore("product");
    return matmul(x, w).named("partial");
  };
  const Tensor partial = make();
  {
    auto core = p.incore("bias");
    assign(out, add(partial, 1.0));
  }
  const auto c = compiled(p);
  ASSERT_EQ(c->plan.escapes.size(), 1u);
  const ir::Escape& e = c->plan.escapes[0];
  EXPECT_EQ(c->plan.program[e.var].name, "partial");
  EXPECT_EQ(e.bytes, 16 * 16 * 4);
  EXPECT_EQ(c->plan.kernel(e.from).name, "product");
  ASSERT_EQ(e.to.size(), 1u);
  EXPECT_EQ(c->plan.kernel(e.to[0]).name, "bias");
  EXPECT_EQ(kernel(*c, "product").core, ir::CoreKind::Cube);
  EXPECT_EQ(kernel(*c, "bias").core, ir::CoreKind::Vector);
}

TEST(Outline, AnAccumulatorStaysOnChipThroughItsLoop) {
  Builder p("chain");
  const Tensor x = p.input("x", {16, 64}, DType::BF16);
  const Tensor w = p.weight("w", {64, 16}, DType::BF16);
  const Tensor out = p.output("out", {16, 16}, DType::F32);
  {
    auto core = p.incore("chain");
    const Tile acc = matmul(slice(x, {16, 16}, {0, 0}), slice(w, {16, 16}, {0, 0}));
    for (Index k : p.range(1, 4))
      matmul_acc(acc, slice(x, {16, 16}, {0, k * 16}), slice(w, {16, 16}, {k * 16, 0}));
    assign(out, acc);
  }
  const auto c = compiled(p);
  int stores = 0;
  ir::for_each_op(kernel(*c, "chain").body,
                  [&](const ir::Op& op) { stores += op.kind == ir::OpKind::Store; });
  EXPECT_EQ(stores, 1);
  EXPECT_EQ(kernel(*c, "chain").core, ir::CoreKind::Cube)
      << "L0C drains to GM without a vector core";
}

// ---- place_tiles -------------------------------------------------------------------------------

std::unique_ptr<Compiled> gemm_plus_one(const std::string& platform) {
  Builder p("mixed");
  const Tensor x = p.input("x", {16, 32}, DType::BF16);
  const Tensor w = p.weight("w", {32, 16}, DType::BF16);
  const Tensor out = p.output("out", {16, 16}, DType::F32);
  {
    auto core = p.incore("mixed");
    assign(out, add(matmul(x, w), 1.0));
  }
  return compiled(p, platform);
}

TEST(PlaceTiles, CubeResultsReachTheVectorCoreByThePlatformsRoute) {
  const auto a2a3 = gemm_plus_one("a2a3");
  ASSERT_EQ(kernel(*a2a3, "mixed").crossings.size(), 1u);
  EXPECT_TRUE(kernel(*a2a3, "mixed").crossings[0].through_gm);
  EXPECT_TRUE(kernel(*a2a3, "mixed").crossings[0].cube_to_vector);
  EXPECT_EQ(kernel(*a2a3, "mixed").core, ir::CoreKind::Mixed);
  const auto a5 = gemm_plus_one("a5");
  ASSERT_EQ(kernel(*a5, "mixed").crossings.size(), 1u);
  EXPECT_FALSE(kernel(*a5, "mixed").crossings[0].through_gm);
}

TEST(PlaceTiles, OperandsGoFromMatToLeftAndRight) {
  const auto c = gemm_plus_one("a2a3");
  std::map<MemorySpace, int> tiles;
  for (const ir::TileBuffer& b : kernel(*c, "mixed").memory) ++tiles[b.space];
  EXPECT_EQ(tiles[MemorySpace::Mat], 2);
  EXPECT_EQ(tiles[MemorySpace::Left], 1);
  EXPECT_EQ(tiles[MemorySpace::Right], 1);
  EXPECT_EQ(tiles[MemorySpace::Acc], 1);
}

// ---- allocate ----------------------------------------------------------------------------------

TEST(Allocate, DeadTilesAreReusedAndLiveOnesNeverOverlap) {
  Builder p("reuse");
  const Tensor x = p.input("x", {16, 256}, DType::F32);
  const Tensor out = p.output("out", {16, 256}, DType::F32);
  {
    auto core = p.incore("chain");
    const Tile a = slice(x, {16, 256}, {0, 0});
    const Tile b = exp(a);
    const Tile c = neg(b);
    const Tile d = mul(c, 2.0);
    assign(out, d);
  }
  const auto c = compiled(p);
  const ir::Kernel& k = kernel(*c, "chain");
  EXPECT_EQ(k.use[0].allocated, 16 * 256 * 4) << "in-place steps need one buffer";
  for (const ir::TileBuffer& a : k.memory)
    for (const ir::TileBuffer& b : k.memory) {
      if (&a == &b || a.space != b.space) continue;
      const bool alive_together = a.first <= b.last && b.first <= a.last;
      const bool share = a.address < b.address + b.total() && b.address < a.address + a.total();
      EXPECT_FALSE(alive_together && share);
    }
}

// 128 KiB cannot stand twice in Vec.
TEST(Allocate, ACastToElementsOfTheSameSizeIsMadeInPlace) {
  Builder p("cast");
  const Tensor x = p.input("x", {128, 256}, DType::I32);
  const Tensor y = p.output("y", {128, 256}, DType::F32);
  {
    auto core = p.incore("work");
    assemble(y, cast(x, DType::F32), {0, 0});
  }
  const auto c = compiled(p);
  for (const ir::TileBuffer& b : kernel(*c, "work").memory) EXPECT_EQ(b.address, 0);
}

// Wider elements would overwrite narrow ones that are still to be read.
TEST(Allocate, ACastToWiderElementsIsNotMadeInPlace) {
  Builder p("cast");
  const Tensor x = p.input("x", {64, 256}, DType::BF16);
  const Tensor y = p.output("y", {64, 256}, DType::F32);
  {
    auto core = p.incore("work");
    assemble(y, cast(x, DType::F32), {0, 0});
  }
  const auto c = compiled(p);
  std::set<int64_t> addresses;
  for (const ir::TileBuffer& b : kernel(*c, "work").memory) addresses.insert(b.address);
  EXPECT_EQ(addresses.size(), 2u);
}

TEST(Allocate, PipelinedLoadsHaveACopyPerStage) {
  Builder p("pipelined");
  const Tensor x = p.input("x", {16, 256}, DType::BF16);
  const Tensor w = p.weight("w", {256, 64}, DType::BF16);
  const Tensor out = p.output("out", {16, 64}, DType::F32);
  {
    auto core = p.incore("chain");
    const Tile acc = p.accumulator({16, 64});
    for (Index k : p.pipeline(4, {.stages = 3})) {
      const Tile a = slice(x, {16, 64}, {0, k * 64});
      const Tile b = slice(w, {64, 64}, {k * 64, 0});
      {
        auto first = p.when(k == 0);
        assign(acc, matmul(a, b));
      }
      {
        auto rest = p.otherwise();
        matmul_acc(acc, a, b);
      }
    }
    assign(out, acc);
  }
  const auto c = compiled(p);
  for (const ir::TileBuffer& b : kernel(*c, "chain").memory)
    if (b.space == MemorySpace::Mat) {
      EXPECT_EQ(b.copies, 3);
    }
}

// ---- unroll ------------------------------------------------------------------------------------

TEST(Unroll, SpmdBlocksShareASubmission) {
  Builder p("grid");
  const Tensor out = p.output("out", {4, 8}, DType::F32);
  for (Index b : p.spmd(4, {.name = "rows"}))
    assemble(out, p.full({1, 8}, DType::F32, 1.0), {b, 0});
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.tasks.size(), 4u);
  EXPECT_EQ(c->graph.submissions.size(), 1u);
  EXPECT_EQ(c->graph.tasks[3].block, 3u);
}

TEST(Unroll, ATensorCreatedInALoopIsFreshEveryTrip) {
  Builder p("fresh");
  const Tensor out = p.output("out", {4, 8}, DType::F32);
  for (Index b : p.range(4)) {
    const Tensor t = p.tensor("t", {1, 8}, DType::F32);
    {
      auto core = p.incore("make");
      assign(t, p.full({1, 8}, DType::F32, 1.0));
    }
    auto core = p.incore("use");
    assemble(out, add(t, 1.0), {b, 0});
  }
  const auto c = compiled(p);
  for (const ir::Edge& e : c->graph.edges.all()) EXPECT_EQ(e.kind, ir::EdgeKind::ReadAfterWrite);
  EXPECT_EQ(c->graph.edges.size(), 4u);
}

TEST(Unroll, ManyReadersOfManyWritersAreHeldInFewRuns) {
  constexpr int64_t kRows = 200;
  Builder p("cache");
  const Tensor out = p.output("out", {kRows, 8}, DType::F32);
  const Tensor cache = p.tensor("cache", {kRows, 8}, DType::F32);
  for (Index b : p.range(kRows)) {
    auto core = p.incore("write");
    assemble(cache, p.full({1, 8}, DType::F32, 1.0), {b, 0});
  }
  for (Index b : p.range(kRows)) {
    auto core = p.incore("read");
    assemble(out, col_sum(load(cache, {0, 0}, {kRows, 8})), {b, 0});
  }
  const auto c = compiled(p);
  EXPECT_EQ(c->graph.edges.size(), static_cast<std::size_t>(kRows * kRows));
  EXPECT_LE(c->graph.edges.runs(), static_cast<std::size_t>(2 * kRows));
  const ir::EdgeList last = c->graph.preds(ir::TaskId(c->graph.tasks.size() - 1));
  std::size_t next = 0;
  for (const ir::Edge& e : last) EXPECT_EQ(e.from.index(), next++);
  EXPECT_EQ(next, static_cast<std::size_t>(kRows));
}

TEST(Unroll, RunTimeScalarsDecideTheTasks) {
  Builder p("ragged");
  const Tensor lens = p.input("lens", {2}, DType::I32);
  const Tensor out = p.state("out", {2, 64}, DType::F32);
  for (Index b : p.range(2)) {
    const Index n = p.read(lens, {b});
    for (Index k : p.range(ceil_div(n, 16))) {
      auto core = p.incore("block");
      assemble(out, p.full({1, 16}, DType::F32, 1.0), {b, k * 16});
    }
  }
  HostArray values(DType::I32, {2});
  values.set(0, 17);
  values.set(1, 64);
  ir::Bindings bindings{{&values, nullptr}, {0, 0}};
  EXPECT_EQ(compiled(p, "a2a3", bindings)->graph.tasks.size(), 2u + 4u);
}

}  // namespace
}  // namespace tilewright
